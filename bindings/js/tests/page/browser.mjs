// Serves a folder on a free port and prints what Chromium makes of its page: browser CHROMIUM FOLDER.
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const [chromium, folder] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  try {
    const bytes = await readFile(join(folder, normalize(path === "/" ? "/index.html" : path)));
    response.writeHead(200, { "content-type": types[extname(path)] ?? (path === "/" ? "text/html" : "text/plain") });
    response.end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const profile = mkdtempSync(join(tmpdir(), "reckoning-js-"));
const words = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, "--virtual-time-budget=60000",
  "--timeout=60000", "--dump-dom", `http://127.0.0.1:${server.address().port}/`];
const browser = spawn(chromium, words, { stdio: ["ignore", "pipe", "ignore"] });
const patience = setTimeout(() => browser.kill(), 120_000);
let printed = "";
for await (const piece of browser.stdout) printed += piece;
clearTimeout(patience);
server.close();
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
console.log(printed);
