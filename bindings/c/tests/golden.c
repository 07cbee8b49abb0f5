// Replays the golden scenes and compares every bit: golden SCRIPT. Prints a row of the table.
#include <inttypes.h>

#include "common.h"

enum { MAX_UPDATES = 1000, LINE = 4096 };

static ReckUpdate updates[MAX_UPDATES];
static ReckJoint joints[MAX_UPDATES];

typedef struct Scene {
  char name[32];
  ReckKindId kind;
  ReckPublisherId publisher;
  ReckGhostId ghost;
  int sent, aimed, has_publisher, has_ghost;
  long compared, different;
} Scene;

static double number(void) {
  const char *word = strtok(NULL, " \n");
  DEMAND(word != NULL);
  uint64_t bits = strtoull(word, NULL, 16);
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static int64_t moment(void) { return strtoll(strtok(NULL, " \n"), NULL, 10); }

static ReckVec3 vector(void) {
  ReckVec3 v;
  v.x = number();
  v.y = number();
  v.z = number();
  return v;
}

static ReckQuat rotation(void) {
  ReckQuat q;
  q.x = number();
  q.y = number();
  q.z = number();
  q.w = number();
  return q;
}

static void compare(Scene *scene, double got, double wanted) {
  scene->compared++;
  scene->different += memcmp(&got, &wanted, sizeof got) != 0;
}

static ReckKindDef def_of(const char *name) {
  ReckKindDef def = reck_kind_def_default();
  if (strcmp(name, "car") == 0) {
    def.publisher.threshold_m = 0.25;
    def.ghost.blend = RECK_BLEND_SNAP;
    return def;
  }
  def.publisher.threshold_m = 0.1;
  def.publisher.heartbeat_spread = 0.1;
  def.publisher.seed = 8;
  if (strcmp(name, "late") == 0) {
    def.show = RECK_SHOW_DELAYED;
    return def;
  }
  def.publisher.seed = 7;
  def.publisher.model = RECK_MODEL_DAMPED;
  def.publisher.model_s = 0.8;
  def.joint_count = 1;
  def.joints[0].threshold_rad = 0.05;
  def.joints[0].heartbeat_s = 1.0;
  return def;
}

static void truth(Scene *scene) {
  ReckKinematics truth = reck_kinematics_default();
  truth.at_us = moment();
  truth.position = vector();
  truth.velocity = vector();
  truth.acceleration = vector();
  truth.orientation = rotation();
  truth.angular_velocity = vector();
  const char *wanted = strtok(NULL, " \n");
  ReckUpdate *update = &updates[scene->sent];
  bool due = true;
  if (scene->has_publisher) {
    OK(reck_publisher_observe(scene->publisher, &truth, update, &due));
  } else {
    OK(reck_publisher_create(scene->kind, &truth, update, &scene->publisher));
    scene->has_publisher = 1;
  }
  scene->compared++;
  if (!due) {
    scene->different += strcmp(wanted, "-") != 0;
    return;
  }
  char hex[2 * RECK_MAX_UPDATE_BYTES + 1] = "";
  for (uint32_t i = 0; i < update->length; i++) {
    sprintf(hex + 2 * i, "%02x", update->bytes[i]);
  }
  scene->different += strcmp(wanted, hex) != 0;
  DEMAND(++scene->sent < MAX_UPDATES);
}

static void line_of(Scene *scene, const char *word) {
  if (strcmp(word, "truth") == 0) {
    truth(scene);
  } else if (strcmp(word, "arrive") == 0) {
    int64_t now = moment();
    const ReckUpdate *update = &updates[moment()];
    if (scene->has_ghost) {
      OK(reck_ghost_accept(scene->ghost, update, now, NULL));
    } else {
      OK(reck_ghost_create(scene->kind, update, now, &scene->ghost));
      scene->has_ghost = 1;
    }
  } else if (strcmp(word, "shown") == 0) {
    int64_t now = moment();
    ReckPose single, pose;
    OK(reck_ghost_pose(scene->ghost, now, &single));
    ReckWorldId world = {scene->ghost.world};
    OK(reck_ghosts_poses(world, &scene->ghost, 1, now, &pose));
    DEMAND(memcmp(&single, &pose, sizeof pose) == 0);
    const double got[7] = {pose.position.x,    pose.position.y,    pose.position.z,   pose.orientation.x,
                           pose.orientation.y, pose.orientation.z, pose.orientation.w};
    for (int i = 0; i < 7; i++) compare(scene, got[i], number());
  } else if (strcmp(word, "aim") == 0) {
    ReckJoint joint;
    joint.at_us = moment();
    joint.angle_rad = number();
    joint.rate_radps = number();
    bool due;
    OK(reck_publisher_aim(scene->publisher, 0, &joint, &due));
    scene->compared++;
    scene->different += due != (moment() == 1);
    if (due) joints[scene->aimed++] = joint;
  } else if (strcmp(word, "aimed") == 0) {
    int64_t now = moment();
    OK(reck_ghost_accept_joint(scene->ghost, 0, &joints[moment()], now));
  } else if (strcmp(word, "angle") == 0) {
    int64_t now = moment();
    double angle;
    OK(reck_ghost_joint_angle(scene->ghost, 0, now, &angle));
    compare(scene, angle, number());
  }
}

static void report(const Scene *scene) {
  if (scene->compared == 0) return;
  printf("golden %s %s: %d updates, %ld results, %ld differ\n", BINDING, scene->name, scene->sent,
         scene->compared, scene->different);
  DEMAND(scene->different == 0);
}

int main(int count, char **words) {
  DEMAND(count == 2);
  FILE *script = fopen(words[1], "r");
  DEMAND(script != NULL);
  ReckWorldId world;
  OK(reck_world_create(&world));
  static char line[LINE];
  Scene scene;
  memset(&scene, 0, sizeof scene);
  int scenes = 0;
  while (fgets(line, sizeof line, script) != NULL) {
    const char *word = strtok(line, " \n");
    if (word == NULL || word[0] == '#') continue;
    if (strcmp(word, "scene") == 0) {
      report(&scene);
      memset(&scene, 0, sizeof scene);
      snprintf(scene.name, sizeof scene.name, "%s", strtok(NULL, " \n"));
      ReckKindDef def = def_of(scene.name);
      OK(reck_kind_create(world, &def, &scene.kind));
      scenes++;
    } else {
      line_of(&scene, word);
    }
  }
  report(&scene);
  DEMAND(scenes == 3);
  fclose(script);
  OK(reck_world_destroy(world));
  return 0;
}
