import type { Route } from "../../../shared/contract/route.ts";

/** What `npm run record` takes: `cards/unload-card` for the operation `unloadCard` of `cards`. */
export function recordedFolder({ function: name, operation }: Pick<Route, "function" | "operation">): string {
  return `${name}/${withDashes(operation)}`;
}

export function withDashes(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
