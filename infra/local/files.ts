import { chmodSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file that appears whole or not at all, also through `kill -9`, with this mode whatever the umask. */
export function writeWholeFile(file: string, text: string, mode: number): void {
  const next = `${file}.next`;
  writeFileSync(next, text, { mode });
  // A file that an earlier run left half written has the mode that it had.
  chmodSync(next, mode);
  renameSync(next, file);
}

/** A small JSON document that survives `kill -9`. Only its owner reads it. */
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
