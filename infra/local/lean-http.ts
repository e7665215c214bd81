/**
 * Before a thread first imports `node:http`: Node reads each name of what an ES module imports, and
 * three of these load its own `undici`, which takes 35 ms and 3 MB that nobody here uses.
 */
export function leaveOutUndici(): void {
  const http = process.getBuiltinModule("node:http");
  for (const name of ["CloseEvent", "MessageEvent", "WebSocket"])
    Object.defineProperty(http, name, { enumerable: false });
}
