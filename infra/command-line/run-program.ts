import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { cleanUp, interrupted } from "./clean-up.ts";

const longestMs = 10_000;
/** Ctrl-C reaches the program too, which may have ended before this process learns of it. */
const untilOwnSignalMs = 250;

interface Ran {
  /** Null if a signal has ended it. */
  readonly exitStatus: number | null;
  /** Its standard output, where `stdio` gives a pipe for it. */
  readonly shown: string;
}

/**
 * Waits for a program. Ctrl-C and `kill` of this process end the program first. @throws Error if
 * this process is being ended, so that nothing follows
 */
export async function runProgram(
  file: string,
  words: readonly string[],
  options: SpawnOptions = {},
): Promise<Ran> {
  interrupted.throwIfAborted();
  await using ending = cleanUp();
  const child = spawn(file, words, { stdio: "inherit", ...options });
  const closed = once(child, "close");
  ending.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGTERM");
    const late = setTimeout(() => child.kill("SIGKILL"), longestMs);
    await closed;
    clearTimeout(late);
  });
  const [shown, [exitStatus]] = await Promise.all([child.stdout ? text(child.stdout) : "", closed]);
  if (exitStatus === null) await delay(untilOwnSignalMs, undefined, { signal: interrupted }).catch(() => {});
  interrupted.throwIfAborted();
  return { exitStatus, shown };
}
