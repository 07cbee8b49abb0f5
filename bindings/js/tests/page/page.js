import * as reckoning from "reckoning";
import { run } from "./golden.mjs";

const rows = document.getElementById("rows");
try {
  await reckoning.init();
  const script = await (await fetch("golden.txt")).text();
  rows.textContent = run(script, reckoning).join("\n");
} catch (error) {
  rows.textContent = `failed: ${error}`;
}
document.title = "done";
