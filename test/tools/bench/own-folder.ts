import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { CleanUp } from "../../../infra/command-line/clean-up.ts";

/**
 * Keeps what this process and those below it put into the temporary folder in one of their own.
 * The processes that still run at the end are ended, and it goes.
 */
export function useOwnFolder(cleaning: CleanUp): void {
  const folder = mkdtempSync(path.join(tmpdir(), "bench-"));
  process.env.TMPDIR = folder;
  cleaning.defer(() => {
    for (const pid of processesWith(folder)) end(pid);
    // What is being ended may still write.
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
  });
}

/** By their environment: a process whose parent has ended has another one. */
function processesWith(folder: string): number[] {
  const ids = readdirSync("/proc").map(Number).filter(Number.isInteger);
  return ids.filter((pid) => pid !== process.pid && environmentText(pid).includes(`TMPDIR=${folder}\0`));
}

function environmentText(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, "utf8");
  } catch {
    return "";
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended meanwhile.
  }
}
