import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Writes the file whole or not at all, even with `kill -9`. Sets the mode regardless of the umask.
 */
export function writeWholeFile(file: string, text: string, mode: number): void {
  const next = `${file}.next`;
  writeFileSync(next, text, { mode });
  // A half-written file of an earlier run keeps its old mode.
  chmodSync(next, mode);
  renameSync(next, file);
}

/** A small JSON document that survives `kill -9`. Only its owner can read it. */
export interface StateFile<State> {
  read(initial: State): State;
  write(state: State): void;
}

export function stateFile<State>(path: string): StateFile<State> {
  mkdirSync(dirname(path), { recursive: true });
  return {
    read: (initial) => {
      try {
        return JSON.parse(readFileSync(path, "utf8"));
      } catch (error) {
        if (error instanceof Error && "code" in error && error.code === "ENOENT") return initial;
        throw new Error(`${path} cannot be read`, { cause: error });
      }
    },
    write: (state) => writeWholeFile(path, `${JSON.stringify(state)}\n`, 0o600),
  };
}
