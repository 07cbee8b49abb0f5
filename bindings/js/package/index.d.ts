export * from "./reckoning.js";

/**
 * Loads the module; await it before anything else. It loads once, however often it is called.
 * @param source Where it is, or its bytes, if not beside this file.
 */
export function init(source?: string | URL | Request | Response | BufferSource | WebAssembly.Module): Promise<void>;
