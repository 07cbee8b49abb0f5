// One car, one onlooker, a perfect network.
import { init, Kind, Publisher, Ghost } from "reckoning";

const carAt = (us) => { // your game: here 15 m/s round a bend of 50 m
  const [sin, cos] = [Math.sin(0.3e-6 * us), Math.cos(0.3e-6 * us)];
  return [50 * cos, 50 * sin, 0, -15 * sin, 15 * cos, 0];
};

await init();
const kind = new Kind({ thresholdM: 0.25, blend: "snap" });
const publisher = new Publisher(kind, 0, carAt(0));
const ghost = new Ghost(kind, publisher.first, 0);

let worst = 0;
for (let tick = 1; tick < 600; tick++) {
  const now = Math.floor((tick * 1e6) / 60);
  const update = publisher.observe(now, carAt(now));
  if (update) ghost.accept(update, now); // here your network carries it
  const drawn = ghost.pose(now); // never more than 0.25 m from the car
  worst = Math.max(worst, Math.hypot(drawn[0] - carAt(now)[0], drawn[1] - carAt(now)[1]));
}
console.log(`600 ticks, ${publisher.exported} updates`); // 600 ticks, 29 updates
if (worst > 0.25) throw new Error(`${worst} m off`);
