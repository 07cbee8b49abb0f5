// Reckoning in browsers and bundlers. `init` loads the module once, whoever asks first.
import load from "./reckoning.js";
export * from "./reckoning.js";

let loaded;

export function init(source) {
  loaded ??= load(source === undefined ? undefined : { module_or_path: source }).then(
    () => undefined,
    (error) => {
      loaded = undefined; // the next one may try again
      throw error;
    },
  );
  return loaded;
}
