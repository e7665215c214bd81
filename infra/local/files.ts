import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Writes the file whole or not at all, even with `kill -9`. Sets the mode regardless of the umask.
 */
export function writeWholeFile(file: string, content: string | Uint8Array, mode: number): void {
  const next = `${file}.next`;
  writeFileSync(next, content, { mode });
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

const retryMs = 50;

/**
 * Takes a lock that the operating system releases when this process ends: Node has only SQLite's.
 * Throws `message` with the holder's process id after `timeoutMs`.
 */
export async function lockFile(path: string, timeoutMs: number, message: string) {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const holder = `${path}.holder`;
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    const database = tryLock(path);
    if (database !== undefined) {
      writeFileSync(holder, String(process.pid));
      return { release: () => database.close() };
    }
    if (performance.now() >= deadlineMs) {
      const owner = existsSync(holder) ? readFileSync(holder, "utf8") : "unknown";
      throw new Error(`${message} (process ${owner})`);
    }
    await delay(retryMs);
  }
}

function tryLock(path: string): DatabaseSync | undefined {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("BEGIN EXCLUSIVE");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && /locked|busy/i.test(error.message)) return undefined;
    throw error;
  }
}
