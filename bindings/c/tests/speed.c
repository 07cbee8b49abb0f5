// How long calls take here: the best of many rounds over ten thousand ghosts, in nanoseconds each.
#define _POSIX_C_SOURCE 199309L
#include <time.h>

#include "common.h"

enum { GHOSTS = 10000, ROUNDS = 50 };

static ReckGhostId ghosts[GHOSTS];
static ReckPose poses[GHOSTS];

static double now_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

int main(void) {
  ReckWorldId world;
  ReckKindId kind;
  ReckPublisherId publisher;
  ReckUpdate first, update;
  ReckKindDef def = reck_kind_def_default();
  ReckKinematics truth = reck_kinematics_default();
  truth.velocity.x = 3.0;
  OK(reck_world_create(&world));
  OK(reck_kind_create(world, &def, &kind));
  OK(reck_publisher_create(kind, &truth, &first, &publisher));
  for (int i = 0; i < GHOSTS; i++) OK(reck_ghost_create(kind, &first, 0, &ghosts[i]));
  double single = 1e18, batched = 1e18, observed = 1e18;
  for (int round = 0; round < ROUNDS; round++) {
    int64_t at_us = 1000 * round;
    double begin = now_ns();
    for (int i = 0; i < GHOSTS; i++) OK(reck_ghost_pose(ghosts[i], at_us, &poses[i]));
    double middle = now_ns();
    OK(reck_ghosts_poses(world, ghosts, GHOSTS, at_us, poses));
    double end = now_ns();
    single = middle - begin < single ? middle - begin : single;
    batched = end - middle < batched ? end - middle : batched;
    begin = now_ns();
    for (int i = 0; i < 1000; i++) {
      bool due;
      truth.at_us++;
      truth.position.x = 3e-6 * (double)truth.at_us;
      OK(reck_publisher_observe(publisher, &truth, &update, &due));
    }
    end = now_ns();
    observed = end - begin < observed ? end - begin : observed;
  }
  printf("speed c: %.1f ns a ghost by itself, %.1f ns in one call for all, %.1f ns an observed truth\n",
         single / GHOSTS, batched / GHOSTS, observed / 1000);
  OK(reck_world_destroy(world));
  return 0;
}
