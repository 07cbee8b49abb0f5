// A player in C: peer HOST:PORT joins, moves along x and watches the others for a few seconds.
#define _POSIX_C_SOURCE 199309L
#define RECKONING_CLIENT
#include <stdio.h>
#include <time.h>
#include <reckoning.h>

int main(int count, char **words) {
  if (count != 2) return 2;
  ReckWorldId world;
  ReckClientId client;
  ReckClientDef def = reck_client_def_default();
  def.server = words[1];
  if (reck_world_create(&world).status != RECK_STATUS_OK) return 1;
  ReckResult connected = reck_client_connect(world, &def, &client);
  if (connected.status != RECK_STATUS_OK) {
    char text[200];
    reck_result_message((int)connected.status, (int)connected.field, connected.value, text, sizeof text);
    fprintf(stderr, "%s\n", text);
    return 1;
  }
  uint32_t mine = 0;
  bool granted = false;
  int64_t since_us = 0;
  int seen = 0;
  double far_m = 0.0;
  for (;;) {
    int64_t now_us;
    if (reck_client_drive(client, &now_us).status != RECK_STATUS_OK) return 1;
    ReckEvent event;
    bool has_event;
    while (reck_client_poll_event(client, &event, &has_event).status == RECK_STATUS_OK && has_event) {
      if (event.kind == RECK_EVENT_KIND_GRANTED) {
        mine = event.entity;
        granted = true;
        since_us = now_us;
      }
    }
    if (granted) {
      ReckKinematics truth = reck_kinematics_default();
      truth.at_us = now_us;
      truth.position.x = 3.0 * (double)(now_us - since_us) / 1e6; // your game: here straight on
      truth.velocity.x = 3.0;
      reck_client_observe(client, mine, &truth); // refused until the server's clock is known
    }
    uint32_t entities[64];
    ReckPose poses[64];
    size_t others;
    if (reck_client_poses(client, now_us, entities, poses, 64, &others).status == RECK_STATUS_OK) {
      for (size_t i = 0; i < others; i++) {
        seen++;
        far_m = poses[i].position.y > far_m ? poses[i].position.y : far_m;
      }
    }
    if (granted && now_us - since_us > 3000000) break;
    if (now_us > 20000000) break;
    nanosleep(&(struct timespec){0, 8000000}, NULL);
  }
  printf("peer: in C the others were seen %d times, as far as %.2f m\n", seen, far_m);
  if (reck_client_destroy(client).status != RECK_STATUS_OK) return 1;
  if (reck_world_destroy(world).status != RECK_STATUS_OK) return 1;
  return seen > 20 && far_m > 1.0 ? 0 : 1;
}
