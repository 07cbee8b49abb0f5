// Random calls with random arguments: fuzz CALLS [SEED]. Nothing may crash, whatever they are. Pointers are
// null or lead to enough memory; what is in it, ids, lengths and numbers are anything.
#include "common.h"

enum { KEPT = 16, WORLDS = 2 };

static uint64_t state;

static uint64_t any(void) { // SplitMix64
  uint64_t z = (state += 0x9e3779b97f4a7c15ull);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

static bool rarely(void) { return any() % 16 == 0; }

static void garbage(void *to, size_t size) {
  for (size_t i = 0; i < size; i++) ((uint8_t *)to)[i] = (uint8_t)any();
}

// Most of a thing stays as it is; a few bytes of it may be anything.
static void disturb(void *thing, size_t size) {
  if (any() % 3 != 0) return;
  if (rarely()) garbage(thing, size);
  size_t at = any() % size;
  garbage((char *)thing + at, 1 + any() % (size - at < 8 ? size - at : 8));
}

static int64_t moment(void) {
  static int64_t now;
  now += (int64_t)(any() % 100000);
  return rarely() ? (int64_t)any() : now;
}

static ReckWorldId worlds[WORLDS];
static ReckKindId kinds[KEPT];
static ReckPublisherId publishers[KEPT];
static ReckGhostId ghosts[KEPT];
static ReckCrowdId crowds[KEPT];
static ReckCrowdGhostId members[KEPT];
static ReckClockId clocks[KEPT];
static ReckUpdate updates[KEPT];

#define PICK(list) ((list)[any() % (sizeof(list) / sizeof *(list))])
#define OR_NULL(pointer) (rarely() ? NULL : (pointer))

static ReckKinematics truth(void) {
  ReckKinematics truth = reck_kinematics_default();
  truth.at_us = moment();
  truth.position.x = (double)(any() % 1000);
  truth.velocity.y = (double)(any() % 20);
  disturb(&truth, sizeof truth);
  return truth;
}

static ReckStatus call(void) {
  ReckKinematics now = truth();
  ReckPose poses[KEPT];
  ReckJoint joint = {now.at_us, 1.0, 0.5};
  bool due;
  double angle;
  float xyz[3 * KEPT];
  size_t count;
  int64_t when;
  disturb(&joint, sizeof joint);
  switch (any() % 27) {
  case 0: return any() % 2000 == 0 ? reck_world_destroy(PICK(worlds)).status : RECK_STATUS_OK;
  case 1: {
    ReckWorldId *world = &PICK(worlds);
    return reck_world_is_valid(*world) ? RECK_STATUS_OK : reck_world_create(OR_NULL(world)).status;
  }
  case 2: case 3: {
    ReckKindDef def = reck_kind_def_default();
    def.joint_count = (uint32_t)(any() % 3);
    def.show = (ReckShow)(any() % 2);
    def.publisher.model = (ReckModel)(any() % 8);
    disturb(&def, sizeof def);
    return reck_kind_create(PICK(worlds), OR_NULL(&def), OR_NULL(&PICK(kinds))).status;
  }
  case 4: return reck_publisher_create(PICK(kinds), OR_NULL(&now), OR_NULL(&PICK(updates)), OR_NULL(&PICK(publishers))).status;
  case 5: case 6: case 7: case 8: return reck_publisher_observe(PICK(publishers), OR_NULL(&now), OR_NULL(&PICK(updates)), OR_NULL(&due)).status;
  case 9: return reck_publisher_teleport(PICK(publishers), OR_NULL(&now), OR_NULL(&PICK(updates))).status;
  case 10: return reck_publisher_aim(PICK(publishers), (uint32_t)(any() % 3), OR_NULL(&joint), OR_NULL(&due)).status;
  case 11: return reck_ghost_create(PICK(kinds), OR_NULL(&PICK(updates)), moment(), OR_NULL(&PICK(ghosts))).status;
  case 12: case 13: {
    ReckUpdate *update = &PICK(updates);
    disturb(update, sizeof *update);
    return reck_ghost_accept(PICK(ghosts), OR_NULL(update), moment(), NULL).status;
  }
  case 14: return reck_ghost_pose(PICK(ghosts), moment(), OR_NULL(poses)).status;
  case 15: return reck_ghost_kinematics(PICK(ghosts), moment(), OR_NULL(&now)).status;
  case 16: return reck_ghosts_poses(PICK(worlds), OR_NULL(ghosts), any() % (KEPT + 1), moment(), OR_NULL(poses)).status;
  case 17: return reck_ghost_accept_joint(PICK(ghosts), (uint32_t)(any() % 3), OR_NULL(&joint), moment()).status;
  case 18: return reck_ghost_joint_angle(PICK(ghosts), (uint32_t)(any() % 3), moment(), OR_NULL(&angle)).status;
  case 19: {
    ReckCrowdDef def = reck_crowd_def_default();
    disturb(&def, sizeof def);
    return reck_crowd_create(PICK(worlds), OR_NULL(&def), OR_NULL(&PICK(crowds))).status;
  }
  case 20: return reck_crowd_insert(PICK(crowds), OR_NULL(&PICK(updates)), moment(), OR_NULL(&PICK(members))).status;
  case 21: return reck_crowd_accept(PICK(crowds), PICK(members), OR_NULL(&PICK(updates)), moment(), NULL).status;
  case 22: return !rarely() ? reck_crowd_remove(PICK(crowds), PICK(members)).status : reck_crowd_destroy(PICK(crowds)).status;
  case 23: return reck_crowd_show(PICK(crowds), moment(), OR_NULL(xyz), NULL, KEPT, OR_NULL(&count)).status;
  case 24: {
    ReckExchange exchange = {moment(), moment(), moment(), moment()};
    ReckClockId *clock = &PICK(clocks);
    if (rarely()) return reck_clock_create(PICK(worlds), OR_NULL(clock)).status;
    if (rarely()) return reck_clock_destroy(*clock).status;
    reck_clock_exchange(*clock, OR_NULL(&exchange), NULL);
    return reck_clock_remote_at(*clock, moment(), OR_NULL(&when)).status;
  }
  case 25: {
    ReckGhostId id = PICK(ghosts);
    garbage((char *)&id + any() % sizeof id, 1);
    return reck_ghost_pose(id, moment(), poses).status;
  }
  default:
    if (!rarely()) return RECK_STATUS_OK;
    return any() % 2 ? reck_ghost_destroy(PICK(ghosts)).status : reck_publisher_destroy(PICK(publishers)).status;
  }
}

int main(int count, char **words) {
  long calls = count > 1 ? atol(words[1]) : 100000, of_status[32] = {0};
  state = count > 2 ? strtoull(words[2], NULL, 10) : 1;
  for (int i = 0; i < WORLDS; i++) OK(reck_world_create(&worlds[i]));
  for (long i = 0; i < calls; i++) {
    int status = (int)call();
    DEMAND(status >= 0 && status < 32 && status != RECK_STATUS_BROKEN);
    of_status[status]++;
  }
  printf("fuzz: %ld calls, %ld done", calls, of_status[0]);
  for (int i = 1; i < 32; i++) {
    if (of_status[i] > 0) printf(", %ld of status %d", of_status[i], i);
  }
  printf("\n");
  DEMAND(of_status[0] * 5 > calls); // most of it must get beyond the first check
  for (int i = 0; i < WORLDS; i++) reck_world_destroy(worlds[i]);
  return 0;
}
