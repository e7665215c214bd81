import { appendFileSync } from "node:fs";

/** Never throws: a full disk or a deleted directory loses only log lines. */
export function appendLog(file: string, lines: string | Uint8Array): void {
  try {
    appendFileSync(file, lines);
  } catch {
    // The lines are for people who look for them later.
  }
}
