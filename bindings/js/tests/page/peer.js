import { init, Client } from "reckoning/client";

// A player in a browser: joins, moves along x, watches the others, and tells the test what it saw.
const query = new URLSearchParams(location.search);
const hash = query.get("certificate").match(/../g).map((it) => parseInt(it, 16));

async function play() {
  await init();
  const client = new Client(query.get("server"), { certificateSha256: Uint8Array.from(hash) });
  const [entities, poses] = [new Uint32Array(64), new Float64Array(64 * 7)];
  let [mine, since, seen, far] = [undefined, 0, 0, 0];
  for (;;) {
    const now = client.drive();
    for (let event; (event = client.pollEvent()); ) {
      if (event.type === "granted") [mine, since] = [event.entity, now];
      if (event.type === "disconnected") throw new Error(event.reason);
    }
    if (mine !== undefined) {
      client.observe(mine, now, [(3 * (now - since)) / 1e6, 0, 0, 3, 0, 0]);
    }
    const others = client.posesInto(now, entities, poses);
    for (let i = 0; i < others; i++) [seen, far] = [seen + 1, Math.max(far, poses[7 * i + 1])];
    if (mine !== undefined && now - since > 3e6) {
      const result = { seen, far, transport: client.transport, status: client.status };
      client.leave();
      return result;
    }
    await new Promise((next) => setTimeout(next, 8));
  }
}

const said = await play().catch((error) => ({ error: String(error) }));
await fetch("result", { method: "POST", body: JSON.stringify(said) });
