// Has Chromium play: peer CHROMIUM FOLDER SERVER, where RECKONING_CERTIFICATE is the SHA-256 of the server's.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";

const [chromium, folder, address] = process.argv.slice(2);
const types = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };
let tell;
const told = new Promise((resolve) => (tell = resolve));

const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  if (request.method === "POST") {
    let text = "";
    for await (const piece of request) text += piece;
    response.end();
    return tell(text);
  }
  try {
    const bytes = await readFile(join(folder, normalize(path)));
    response.writeHead(200, { "content-type": types[extname(path)] ?? "text/plain" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const profile = mkdtempSync(join(tmpdir(), "reckoning-js-"));
const query = new URLSearchParams({ server: address, certificate: process.env.RECKONING_CERTIFICATE });
const page = `http://127.0.0.1:${server.address().port}/peer.html?${query}`;
const words = ["--headless", "--no-sandbox", "--disable-gpu", `--user-data-dir=${profile}`, page];
const browser = spawn(chromium, words, { stdio: "ignore" });
const patience = setTimeout(() => tell('{"error":"not within 25 s"}'), 25_000);
const text = await told;
clearTimeout(patience);
const ended = new Promise((resolve) => browser.on("exit", resolve));
browser.kill();
await ended;
server.close();
server.closeAllConnections();
rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
const { error, seen, far, transport, status } = JSON.parse(text);
if (error || seen <= 20 || far <= 1) throw new Error(`the player in the browser: ${text}`);
console.log(`peer: in Chromium the others were seen ${seen} times, as far as ${far.toFixed(2)} m, by ${transport}, ${status}`);
