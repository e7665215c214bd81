import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

export interface Lock {
  release(): void;
}

const RETRY_MS = 50;

/**
 * Takes a lock that the operating system gives back when this process ends, however it ends: a `kill -9` leaves nothing
 * to clean up. It is the lock of a SQLite file, the only such lock that Node has. Waits at most `patienceMs` for another
 * holder. Errors: the holder's process id, with `refusal`.
 */
export async function lockFile(path: string, patienceMs: number, refusal: string): Promise<Lock> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const holder = `${path}.holder`;
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const database = tryLock(path);
    if (database !== undefined) {
      writeFileSync(holder, String(process.pid));
      return { release: () => database.close() };
    }
    if (performance.now() >= deadlineMs) throw new Error(`${refusal} (process ${readHolder(holder)})`);
    await delay(RETRY_MS);
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

function readHolder(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "unknown";
  }
}
