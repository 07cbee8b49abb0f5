// Replays the golden scenes and compares every bit: `run(text, reckoning)` gives rows of the table.
const words = new DataView(new ArrayBuffer(8));

function number(hex) {
  words.setBigUint64(0, BigInt("0x" + hex));
  return words.getFloat64(0);
}

const kinds = {
  car: { thresholdM: 0.25, blend: "snap" },
  late: { thresholdM: 0.1, heartbeatSpread: 0.1, seed: 8, show: "delayed" },
  walk: {
    thresholdM: 0.1, heartbeatSpread: 0.1, seed: 7, model: "damped", modelS: 0.8,
    joints: [{ thresholdRad: 0.05, heartbeatS: 1 }],
  },
};

const hex = (bytes) => Array.from(bytes, (it) => it.toString(16).padStart(2, "0")).join("");

class Scene {
  updates = [];
  joints = [];
  compared = 0;
  different = 0;

  constructor(name, reckoning) {
    Object.assign(this, { name, reckoning, kind: new reckoning.Kind(kinds[name]) });
    this.batch = new reckoning.Ghosts();
    this.out = new Float64Array(7);
  }

  compare(got, wanted) {
    this.compared++;
    if (!Object.is(got, wanted)) this.different++;
  }

  line(word, rest) {
    const now = Number(rest[0]);
    const { Publisher, Ghost } = this.reckoning;
    if (word === "truth") {
      const motion = Float64Array.from(rest.slice(1, 17), number);
      let update;
      if (this.publisher) update = this.publisher.observe(now, motion);
      else update = (this.publisher = new Publisher(this.kind, now, motion)).first;
      this.compare(update ? hex(update) : "-", rest[17]);
      if (update) this.updates.push(update);
    } else if (word === "arrive") {
      const update = this.updates[Number(rest[1])];
      if (this.ghost) {
        const one = this.ghost.accept(update, now);
        if (one !== this.batch.accept(0, update, now)) this.different++;
      } else {
        this.ghost = new Ghost(this.kind, update, now);
        this.batch.add(this.kind, update, now);
      }
    } else if (word === "shown") {
      const pose = this.ghost.pose(now);
      this.batch.posesInto(now, this.out);
      rest.slice(1).forEach((it, at) => {
        this.compare(pose[at], number(it));
        if (!Object.is(this.out[at], pose[at])) this.different++;
      });
    } else if (word === "aim") {
      const [angle, rate] = [number(rest[1]), number(rest[2])];
      const due = this.publisher.aim(0, now, angle, rate);
      this.compare(due, rest[3] === "1");
      if (due) this.joints.push([now, angle, rate]);
    } else if (word === "aimed") {
      this.ghost.acceptJoint(0, ...this.joints[Number(rest[1])], now);
    } else if (word === "angle") {
      this.compare(this.ghost.jointAngle(0, now), number(rest[1]));
    }
  }

  row() {
    return `golden js ${this.name}: ${this.updates.length} updates, ${this.compared} results, ${this.different} differ`;
  }
}

export function run(text, reckoning) {
  const scenes = [];
  for (const line of text.split("\n")) {
    const [word, ...rest] = line.split(" ");
    if (!word || word.startsWith("#")) continue;
    if (word === "scene") scenes.push(new Scene(rest[0], reckoning));
    else scenes.at(-1).line(word, rest);
  }
  if (scenes.length !== 3) throw new Error(`${scenes.length} scenes`);
  const wrong = scenes.find((it) => it.different > 0 || it.compared < 1000);
  if (wrong) throw new Error(wrong.row());
  return scenes.map((it) => it.row());
}
