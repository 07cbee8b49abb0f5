// What must be refused, and is: each misuse gives a status and the field, and never ends the program.
#include <math.h>
#include <pthread.h>

#include "common.h"

static ReckWorldId world;
static ReckKindId kind;
static ReckPublisherId publisher;
static ReckGhostId ghost;
static ReckUpdate first;

static void set_up(void) {
  OK(reck_world_create(&world));
  ReckKindDef def = reck_kind_def_default();
  def.joint_count = 1;
  OK(reck_kind_create(world, &def, &kind));
  ReckKinematics truth = reck_kinematics_default();
  OK(reck_publisher_create(kind, &truth, &first, &publisher));
  OK(reck_ghost_create(kind, &first, 0, &ghost));
}

static void null_pointers_are_refused(void) {
  ReckKinematics truth = reck_kinematics_default();
  ReckUpdate update;
  bool due;
  truth.at_us = 1000;
  REFUSED(reck_world_create(NULL), RECK_STATUS_NULL, RECK_FIELD_OUTPUT);
  REFUSED(reck_kind_create(world, NULL, &kind), RECK_STATUS_NULL, RECK_FIELD_DEF);
  REFUSED(reck_publisher_create(kind, NULL, &update, &publisher), RECK_STATUS_NULL, RECK_FIELD_TRUTH);
  REFUSED(reck_publisher_create(kind, &truth, NULL, &publisher), RECK_STATUS_NULL, RECK_FIELD_OUTPUT);
  REFUSED(reck_publisher_observe(publisher, NULL, &update, &due), RECK_STATUS_NULL, RECK_FIELD_TRUTH);
  REFUSED(reck_publisher_observe(publisher, &truth, NULL, &due), RECK_STATUS_NULL, RECK_FIELD_OUTPUT);
  REFUSED(reck_publisher_observe(publisher, &truth, &update, NULL), RECK_STATUS_NULL, RECK_FIELD_OUTPUT);
  REFUSED(reck_ghost_create(kind, NULL, 0, &ghost), RECK_STATUS_NULL, RECK_FIELD_UPDATE);
  REFUSED(reck_ghost_pose(ghost, 0, NULL), RECK_STATUS_NULL, RECK_FIELD_OUTPUT);
  REFUSED(reck_ghosts_poses(world, NULL, 2, 0, NULL), RECK_STATUS_NULL, RECK_FIELD_LIST);
  REFUSED(reck_ghosts_poses(world, &ghost, 1, 0, NULL), RECK_STATUS_NULL, RECK_FIELD_OUTPUT);
  OK(reck_ghosts_poses(world, NULL, 0, 0, NULL));
  REFUSED(reck_learned_create(world, NULL, 9, NULL), RECK_STATUS_NULL, RECK_FIELD_LIST);
  DEMAND(reck_result_message(1, 1, 0.0, NULL, 0) > 0);
  ReckPublisherStats stats;
  OK(reck_publisher_stats(publisher, &stats));
  DEMAND(stats.observed == 0 && stats.exported == 1); // nothing was sent that nobody heard of
}

static void ids_of_nothing_are_refused(void) {
  ReckGhostId none = {0, 0, 0}, made_up = {ghost.world, 77, 1}, wrong_world = ghost;
  wrong_world.world ^= 0x50000;
  ReckPose poses[2];
  REFUSED(reck_ghost_pose(none, 0, poses), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_WORLD);
  REFUSED(reck_ghost_pose(made_up, 0, poses), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_GHOST);
  REFUSED(reck_ghost_pose(wrong_world, 0, poses), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_WORLD);
  ReckGhostId list[2] = {ghost, made_up};
  ReckResult result = reck_ghosts_poses(world, list, 2, 0, poses);
  DEMAND(result.status == RECK_STATUS_NO_SUCH_ID && result.field == RECK_FIELD_LIST && result.value == 1.0);
}

static void what_was_destroyed_stays_destroyed(void) {
  ReckGhostId old, next;
  OK(reck_ghost_create(kind, &first, 0, &old));
  OK(reck_ghost_destroy(old));
  OK(reck_ghost_create(kind, &first, 0, &next));
  DEMAND(old.index1 == next.index1); // the same place, and still another ghost
  ReckPose pose;
  REFUSED(reck_ghost_pose(old, 0, &pose), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_GHOST);
  REFUSED(reck_ghost_destroy(old), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_GHOST);
  OK(reck_ghost_destroy(next));

  ReckWorldId other;
  ReckKindId there;
  ReckKindDef def = reck_kind_def_default();
  OK(reck_world_create(&other));
  OK(reck_kind_create(other, &def, &there));
  OK(reck_world_destroy(other));
  DEMAND(!reck_world_is_valid(other));
  REFUSED(reck_world_destroy(other), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_WORLD);
  REFUSED(reck_ghost_create(there, &first, 0, &next), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_WORLD);
}

static void wrong_sizes_are_refused(void) {
  ReckKindDef def = reck_kind_def_default();
  def.struct_size--;
  REFUSED(reck_kind_create(world, &def, &kind), RECK_STATUS_STRUCT_SIZE, RECK_FIELD_DEF);
  memset(&def, 0, sizeof def); // nobody called reck_kind_def_default()
  REFUSED(reck_kind_create(world, &def, &kind), RECK_STATUS_STRUCT_SIZE, RECK_FIELD_DEF);
  def = reck_kind_def_default();
  def.joint_count = 9;
  REFUSED(reck_kind_create(world, &def, &kind), RECK_STATUS_OUT_OF_RANGE, RECK_FIELD_JOINT_COUNT);
  ReckUpdate update = first;
  update.length = RECK_MAX_UPDATE_BYTES + 1;
  REFUSED(reck_ghost_accept(ghost, &update, 0, NULL), RECK_STATUS_OUT_OF_RANGE, RECK_FIELD_UPDATE);
  update.length = first.length - 1;
  REFUSED(reck_ghost_accept(ghost, &update, 0, NULL), RECK_STATUS_BAD_BYTES, RECK_FIELD_UPDATE);
}

static void each_number_is_named(void) {
  struct {
    size_t offset;
    double value;
    ReckStatus status;
    ReckField field;
  } const cases[] = {
      {offsetof(ReckKindDef, publisher.threshold_m), NAN, RECK_STATUS_NOT_FINITE, RECK_FIELD_THRESHOLD},
      {offsetof(ReckKindDef, publisher.threshold_m), -1.0, RECK_STATUS_OUT_OF_RANGE, RECK_FIELD_THRESHOLD},
      {offsetof(ReckKindDef, publisher.angle_threshold_rad), 9.0, RECK_STATUS_OUT_OF_RANGE,
       RECK_FIELD_ANGLE_THRESHOLD},
      {offsetof(ReckKindDef, publisher.heartbeat_s), NAN, RECK_STATUS_NOT_FINITE, RECK_FIELD_HEARTBEAT},
      {offsetof(ReckKindDef, publisher.heartbeat_s), 0.0, RECK_STATUS_CONTRADICTION, RECK_FIELD_HEARTBEAT},
      {offsetof(ReckKindDef, publisher.heartbeat_spread), 0.7, RECK_STATUS_OUT_OF_RANGE,
       RECK_FIELD_HEARTBEAT_SPREAD},
      {offsetof(ReckKindDef, publisher.min_interval_s), -0.1, RECK_STATUS_OUT_OF_RANGE,
       RECK_FIELD_MIN_INTERVAL},
      {offsetof(ReckKindDef, ghost.span_s), INFINITY, RECK_STATUS_NOT_FINITE, RECK_FIELD_SPAN_LENGTH},
      {offsetof(ReckKindDef, ghost.max_extrapolation_s), 0.0, RECK_STATUS_OUT_OF_RANGE,
       RECK_FIELD_MAX_EXTRAPOLATION},
      {offsetof(ReckKindDef, ghost.min_heading_speed_mps), NAN, RECK_STATUS_NOT_FINITE,
       RECK_FIELD_MIN_HEADING_SPEED},
      {offsetof(ReckKindDef, ghost.max_speed_mps), NAN, RECK_STATUS_NOT_FINITE, RECK_FIELD_MAX_SPEED},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ReckKindDef def = reck_kind_def_default();
    ReckKindId refused;
    memcpy((char *)&def + cases[i].offset, &cases[i].value, sizeof(double));
    ReckResult result = reck_kind_create(world, &def, &refused);
    if (result.status != cases[i].status || result.field != cases[i].field) {
      fprintf(stderr, "case %zu: status %d, field %d\n", i, (int)result.status, (int)result.field);
      exit(1);
    }
    DEMAND(memcmp(&result.value, &cases[i].value, sizeof(double)) == 0);
  }
  ReckKinematics truth = reck_kinematics_default();
  ReckUpdate update;
  bool due;
  truth.at_us = 5000;
  truth.velocity.y = NAN;
  REFUSED(reck_publisher_observe(publisher, &truth, &update, &due), RECK_STATUS_NOT_FINITE,
          RECK_FIELD_VELOCITY);
  truth = reck_kinematics_default();
  REFUSED(reck_publisher_observe(publisher, &truth, &update, &due), RECK_STATUS_NOT_LATER, RECK_FIELD_AT);
  truth.at_us = 5000;
  truth.orientation.w = 3.0;
  REFUSED(reck_publisher_observe(publisher, &truth, &update, &due), RECK_STATUS_NOT_UNIT,
          RECK_FIELD_ORIENTATION);
  ReckJoint joint = {0, NAN, 0.0};
  REFUSED(reck_publisher_aim(publisher, 0, &joint, &due), RECK_STATUS_NOT_FINITE, RECK_FIELD_ANGLE);
  joint.angle_rad = 0.0;
  REFUSED(reck_publisher_aim(publisher, 1, &joint, &due), RECK_STATUS_OUT_OF_RANGE, RECK_FIELD_JOINT);
  char words[8];
  DEMAND(reck_result_message(4, 20, NAN, words, sizeof words) == 30 && strcmp(words, "thresho") == 0);
}

static void *enters(void *count) {
  for (int i = 0; i < 200000; i++) {
    ReckPose pose;
    ReckResult result = reck_ghost_pose(ghost, i, &pose);
    DEMAND(result.status == RECK_STATUS_OK ||
           (result.status == RECK_STATUS_BUSY && result.field == RECK_FIELD_WORLD));
    *(long *)count += result.status == RECK_STATUS_BUSY;
  }
  return NULL;
}

static void two_threads_are_kept_apart(void) {
  pthread_t threads[2];
  long busy[2] = {0, 0};
  for (int i = 0; i < 2; i++) DEMAND(pthread_create(&threads[i], NULL, enters, &busy[i]) == 0);
  for (int i = 0; i < 2; i++) DEMAND(pthread_join(threads[i], NULL) == 0);
  printf("two threads in one world: %ld of 400000 calls refused as busy\n", busy[0] + busy[1]);
}

static void a_crowd_and_a_clock_are_used_as_said(void) {
  ReckCrowdDef def = reck_crowd_def_default();
  ReckCrowdId crowd;
  ReckCrowdGhostId members[3], shown[3];
  float xyz[9];
  size_t count;
  OK(reck_crowd_create(world, &def, &crowd));
  for (int i = 0; i < 3; i++) OK(reck_crowd_insert(crowd, &first, 0, &members[i]));
  REFUSED(reck_crowd_show(crowd, 0, xyz, shown, 2, &count), RECK_STATUS_TOO_SHORT, RECK_FIELD_LIST);
  OK(reck_crowd_remove(crowd, members[0]));
  REFUSED(reck_crowd_accept(crowd, members[0], &first, 0, NULL), RECK_STATUS_NO_SUCH_ID, RECK_FIELD_GHOST);
  OK(reck_crowd_show(crowd, 0, xyz, shown, 3, &count));
  DEMAND(count == 2 && shown[0].index1 == members[2].index1); // the last one took its place
  def.span_s = 1e9;
  REFUSED(reck_crowd_create(world, &def, &crowd), RECK_STATUS_OUT_OF_RANGE, RECK_FIELD_SPAN_LENGTH);
  OK(reck_crowd_destroy(crowd));

  ReckClockId clock;
  int64_t remote;
  OK(reck_clock_create(world, &clock));
  REFUSED(reck_clock_remote_at(clock, 0, &remote), RECK_STATUS_NOT_JOINED, RECK_FIELD_CLOCK);
  ReckExchange exchange = {0, 1050000, 1050000, 100000};
  ReckExchanged became;
  OK(reck_clock_exchange(clock, &exchange, &became));
  DEMAND(became == RECK_EXCHANGED_USED);
  OK(reck_clock_remote_at(clock, 100000, &remote));
  DEMAND(remote == 1100000);
  OK(reck_clock_destroy(clock));
}

static void a_trained_model_plans_or_is_refused(const char *path) {
  static uint8_t bytes[1 << 20];
  FILE *file = fopen(path, "rb");
  DEMAND(file != NULL);
  size_t length = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ReckLearnedId learned;
  REFUSED(reck_learned_create(world, bytes, length / 2, &learned), RECK_STATUS_BAD_BYTES, RECK_FIELD_LEARNED);
  OK(reck_learned_create(world, bytes, length, &learned));
  REFUSED(reck_publisher_set_learned(publisher, learned, NAN, 1), RECK_STATUS_NOT_FINITE, RECK_FIELD_BOUND);
  OK(reck_publisher_set_learned(publisher, learned, 0.25, 1));
  ReckKinematics truth = reck_kinematics_default();
  ReckUpdate update;
  int sent = 0, curves = 0;
  for (int tick = 1; tick < 120; tick++) {
    bool due;
    truth.at_us = 1000000 + tick * 16667;
    truth.position.x = sin(tick * 0.05) * 9.0;
    truth.velocity.x = cos(tick * 0.05) * 27.0;
    OK(reck_publisher_observe(publisher, &truth, &update, &due));
    sent += due;
    curves += due && update.bytes[2] == 5; // a planned curve
  }
  printf("a trained model: %d updates, %d of them curves\n", sent, curves);
  DEMAND(curves > 0);
  OK(reck_learned_destroy(learned));
}

int main(int count, char **words) {
  DEMAND(count == 2);
  set_up();
  null_pointers_are_refused();
  ids_of_nothing_are_refused();
  what_was_destroyed_stays_destroyed();
  wrong_sizes_are_refused();
  each_number_is_named();
  two_threads_are_kept_apart();
  a_crowd_and_a_clock_are_used_as_said();
  a_trained_model_plans_or_is_refused(words[1]);
  OK(reck_world_destroy(world));
  printf("misuse: all refused\n");
  return 0;
}
