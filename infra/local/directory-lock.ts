import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as delay } from "node:timers/promises";

export interface Lock {
  release(): void;
}

const retryMs = 50;

/**
 * Takes a lock that the operating system releases when this process ends. It locks a SQLite file,
 * Node's only such lock. Throws `message` with the holder's process id after `patienceMs`.
 */
export async function lockFile(path: string, patienceMs: number, message: string): Promise<Lock> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const holder = `${path}.holder`;
  const deadlineMs = performance.now() + patienceMs;
  for (;;) {
    const database = tryLock(path);
    if (database !== undefined) {
      writeFileSync(holder, String(process.pid));
      return { release: () => database.close() };
    }
    if (performance.now() >= deadlineMs) throw new Error(`${message} (process ${readHolder(holder)})`);
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

function readHolder(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "unknown";
  }
}
