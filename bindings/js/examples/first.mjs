import { init, Kind, Publisher, Ghost } from "reckoning";

await init();
const kind = new Kind({ thresholdM: 0.25 });
const owner = new Publisher(kind, 0, [0, 0, 0, 3, 0, 0]); // a position and a velocity
const ghost = new Ghost(kind, owner.first, 0); // elsewhere, from the bytes of the first update
console.log("after half a second it is drawn at", ghost.pose(500_000)[0]);
