// In Node: the golden scenes, and every misuse. node tests/node.mjs SCRIPT, where `reckoning` is installed.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as reckoning from "reckoning";
import { run } from "./golden.mjs";

const { init, Kind, Publisher, Ghost, Ghosts, Clock } = reckoning;
const before = init();
assert.equal(before, init(), "it loads once");
await before;

for (const row of run(readFileSync(process.argv[2], "utf8"), reckoning)) console.log(row);

// Settings are refused by name and value.
const refused = (act, words) => assert.throws(act, (error) => {
  assert.ok(error instanceof Error && error.message.includes(words), `${words}: ${error}`);
  return true;
});
refused(() => new Kind({ thresholdM: NaN }), "threshold NaN m");
refused(() => new Kind({ thresholdM: "wide" }), "thresholdM of a kind must be a number");
refused(() => new Kind({ treshold: 1 }), "a kind has no setting treshold");
refused(() => new Kind(7), "a kind must be an object");
refused(() => new Kind({ heartbeatS: 0.1, minIntervalS: 0.2 }), "heartbeat 100ms is shorter than min_interval 200ms");
refused(() => new Kind({ heartbeatS: -1 }), "heartbeatS is -1");
refused(() => new Kind({ model: "warp" }), 'there is no model "warp"');
refused(() => new Kind({ blend: "blur" }), 'there is no blend "blur"');
refused(() => new Kind({ seed: 0.5 }), "seed is 0.5");
refused(() => new Kind({ joints: [{ thresholdRad: -1 }] }), "joint threshold -1 rad");
refused(() => new Kind({ joints: 3 }), "must be an array");

// States, bytes and numbers as well.
const kind = new Kind({ joints: [{}] });
refused(() => new Publisher(kind, 0, [1, 2]), "a motion has 3, 6, 9, 13 or 16 numbers, not 2");
refused(() => new Publisher(kind, NaN, [1, 2, 3]), "the moment NaN");
refused(() => new Publisher(kind, 0, [1, NaN, 3]), "position [1, NaN, 3] is not finite");
refused(() => new Publisher(kind, 0, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2]), "orientation has length 2");
const publisher = new Publisher(kind, 1000, [0, 0, 0]);
refused(() => publisher.observe(1000, [0, 0, 0]), "it must be later than 1000 us");
refused(() => publisher.aim(1, 0, 0, 0), "the kind has no joint 1");
refused(() => publisher.aim(0, 0, Infinity, 0), "angleRad is inf");
refused(() => publisher.setThreshold(0), "threshold 0 m");
const ghost = new Ghost(kind, publisher.first, 0);
refused(() => ghost.accept(publisher.first.slice(0, 20), 0), "ends too early");
refused(() => ghost.accept(new Uint8Array(400).fill(255), 0), "version 255");
assert.equal(ghost.accept(publisher.first, 0), "stale");
const ghosts = new Ghosts();
const [one, two] = [ghosts.add(kind, publisher.first, 0), ghosts.add(kind, publisher.first, 0)];
refused(() => ghosts.posesInto(0, new Float64Array(13)), "the array holds 13 numbers; it needs 14");
ghosts.remove(one);
refused(() => ghosts.accept(one, publisher.first, 0), "there is no ghost 0");
refused(() => ghosts.remove(one), "there is no ghost 0");
assert.deepEqual([...ghosts.numbers], [two]);
assert.equal(ghosts.add(kind, publisher.first, 0), 2, "a number is not given again");
ghost.free();
assert.throws(() => ghost.pose(0), "used after it was freed");

// A thousand random updates never end the module.
let state = 1;
const any = () => (state = (state * 48271) % 2147483647);
let thrown = 0;
for (let i = 0; i < 1000; i++) {
  const bytes = publisher.first;
  for (let k = 0; k < 3; k++) bytes[any() % bytes.length] = any() % 256;
  try {
    ghosts.accept(two, bytes, any());
  } catch (error) {
    assert.ok(error instanceof Error && !(error instanceof WebAssembly.RuntimeError), String(error));
    thrown++;
  }
}
assert.ok(thrown > 100 && ghosts.posesInto(0, new Float64Array(14)) === 2, `${thrown} refused`);

// An array of one's own stays its own when the module's memory grows.
const out = new Float64Array(7 * 20002);
for (let i = 0; i < 20000; i++) ghosts.add(kind, publisher.first, 0);
assert.equal(ghosts.posesInto(0, out), 20002);
assert.equal(out.length, 7 * 20002);
assert.equal(out[7 * 20001 + 6], 1);

const clock = new Clock();
assert.equal(clock.remoteAt(0), undefined);
clock.exchange(0, 1_050_000, 1_050_000, 100_000);
assert.equal(clock.remoteAt(100_000), 1_100_000);
console.log("misuse: all refused");
