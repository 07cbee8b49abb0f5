// Compiled, not run: what strict TypeScript takes and what it refuses.
import { init, Kind, Publisher, Ghost, Ghosts, Clock, type Accepted, type KindOptions } from "reckoning";
import { Client, init as initClient, type ClientEvent } from "reckoning/client";

export async function play(): Promise<number> {
  await init();
  await initClient();
  const options: KindOptions = { thresholdM: 0.25, model: "damped", modelS: 0.8, joints: [{ thresholdRad: 0.1 }] };
  const kind = new Kind(options);
  const publisher = new Publisher(kind, 0, new Float64Array(6));
  const ghost = new Ghost(kind, publisher.first, 0);
  const update: Uint8Array | undefined = publisher.observe(1000, new Float64Array(3));
  const became: Accepted = update ? ghost.accept(update, 1000) : "stale";
  const ghosts = new Ghosts();
  const out = new Float64Array(7);
  const count: number = ghosts.posesInto(0, out);
  const remote: number | undefined = new Clock().remoteAt(0);
  // @ts-expect-error there is no such setting
  new Kind({ treshold: 1 });
  // @ts-expect-error there is no such model
  new Kind({ model: "warp" });
  // @ts-expect-error an update is bytes
  ghost.accept("update", 0);
  const client = new Client("127.0.0.1:4433");
  const event: ClientEvent | undefined = client.pollEvent();
  if (event?.type === "granted") client.observe(event.entity, client.drive(), out);
  // @ts-expect-error not every event has an entity
  event?.entity;
  return count + (remote ?? 0) + became.length;
}
