// One car, one onlooker, a perfect network.
#include <math.h>
#include <stdio.h>
#include <reckoning.h>

static ReckKinematics car_at(int64_t at_us) { // your game: here 15 m/s round a bend of 50 m
  double turn = 0.3 * (double)at_us / 1e6;
  ReckKinematics truth = reck_kinematics_default();
  truth.at_us = at_us;
  truth.position.x = 50.0 * cos(turn);
  truth.position.y = 50.0 * sin(turn);
  truth.velocity.x = -15.0 * sin(turn);
  truth.velocity.y = 15.0 * cos(turn);
  return truth;
}

int main(void) {
  ReckKindDef def = reck_kind_def_default();
  def.publisher.threshold_m = 0.25;
  def.ghost.blend = RECK_BLEND_SNAP;
  ReckWorldId world;
  ReckKindId kind;
  ReckPublisherId publisher;
  ReckGhostId ghost;
  ReckUpdate update;
  ReckKinematics truth = car_at(0);
  if (reck_world_create(&world).status != RECK_STATUS_OK) return 1;
  if (reck_kind_create(world, &def, &kind).status != RECK_STATUS_OK) return 1;
  if (reck_publisher_create(kind, &truth, &update, &publisher).status != RECK_STATUS_OK) return 1;
  if (reck_ghost_create(kind, &update, 0, &ghost).status != RECK_STATUS_OK) return 1;

  int exports = 1;
  double worst_m = 0.0;
  for (int tick = 1; tick < 600; tick++) {
    truth = car_at(tick * 1000000LL / 60);
    bool due;
    if (reck_publisher_observe(publisher, &truth, &update, &due).status) return 1;
    if (due) {
      reck_ghost_accept(ghost, &update, truth.at_us, NULL); // here your network carries it
      exports++;
    }
    ReckPose drawn; // never more than 0.25 m from the car
    if (reck_ghost_pose(ghost, truth.at_us, &drawn).status) return 1;
    double off_m = hypot(drawn.position.x - truth.position.x, drawn.position.y - truth.position.y);
    worst_m = off_m > worst_m ? off_m : worst_m;
  }
  printf("600 ticks, %d updates\n", exports); // 600 ticks, 29 updates
  return worst_m > 0.25;
}
