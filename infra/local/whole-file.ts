import { chmodSync, renameSync, writeFileSync } from "node:fs";

/** Writes a file that appears whole or not at all, also through `kill -9`, with this mode whatever the umask. */
export function writeWholeFile(file: string, text: string, mode: number): void {
  const next = `${file}.next`;
  writeFileSync(next, text, { mode });
  // A file that an earlier run left half written has the mode that it had.
  chmodSync(next, mode);
  renameSync(next, file);
}
