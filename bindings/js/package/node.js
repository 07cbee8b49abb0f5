// Reckoning in Node, which does not fetch files. `init` loads the module once, whoever asks first.
import { readFile } from "node:fs/promises";
import load from "./reckoning.js";
export * from "./reckoning.js";

let loaded;

export function init(source) {
  const bytes = source ?? readFile(new URL("reckoning_bg.wasm", import.meta.url));
  loaded ??= load({ module_or_path: bytes }).then(
    () => undefined,
    (error) => {
      loaded = undefined; // the next one may try again
      throw error;
    },
  );
  return loaded;
}
