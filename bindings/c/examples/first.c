#include <stdio.h>
#include <reckoning.h>

int main(void) {
  ReckWorldId world; ReckKindId kind; ReckPublisherId owner; ReckGhostId ghost;
  ReckKindDef def = reck_kind_def_default();
  ReckKinematics truth = reck_kinematics_default(); ReckUpdate first; ReckPose pose;
  truth.velocity.x = 3.0;
  if (reck_world_create(&world).status || reck_kind_create(world, &def, &kind).status) return 1;
  if (reck_publisher_create(kind, &truth, &first, &owner).status) return 1;
  if (reck_ghost_create(kind, &first, 0, &ghost).status) return 1; // elsewhere, from first.bytes
  if (reck_ghost_pose(ghost, 500000, &pose).status) return 1;
  printf("after half a second it is drawn at %.1f\n", pose.position.x);
}
