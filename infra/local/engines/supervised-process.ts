import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";
import { findProcess } from "../find-process.ts";
import { startLoopbackServer } from "../loopback-server.ts";

export interface SupervisedOptions {
  /** Contains the child's process id, also after a `kill -9` of this process. */
  pidFile: string;
  spawn(port: number): ChildProcess;
  ready(child: ChildProcess, port: number): Promise<void>;
  /** Whether the process is our engine: another program may have received the id. */
  isOurs(commandLine: string): boolean;
  onFailure?: ((error: Error) => void) | undefined;
}

const startAttempts = 5;
const startTimeoutMs = 60_000;
const starterTimeoutMs = 500;
const stopTimeoutMs = 1500;

/**
 * Runs a child process on a free loopback port. First ends a child of an earlier run. Throws if the
 * engine does not start or another run uses its files. One that ends by itself is a failure.
 */
export async function superviseProcess(options: SupervisedOptions) {
  await stopOrphan(options);
  const { child, port } = await startOnFreePort(options);
  const { onFailure = (error: Error) => console.error(error.message) } = options;
  let stopping = false;
  child.once("exit", (code, signal) => {
    const reason = `it exited with ${signal ?? `code ${code}`}`;
    if (!stopping) onFailure(new Error(`The engine on port ${port} ended by itself: ${reason}`));
  });
  // Else it would outlive a `process.exit`.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      stopping = true;
      process.off("exit", kill);
      await terminate(child);
      rmSync(options.pidFile, { force: true });
    },
  };
}

async function startOnFreePort(options: SupervisedOptions): Promise<{ child: ChildProcess; port: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const port = await freePort();
    try {
      return { child: await start(options, port), port };
    } catch (error) {
      // Another process may have taken the port meanwhile.
      if (attempt === startAttempts) throw error;
    }
  }
}

async function start(options: SupervisedOptions, port: number): Promise<ChildProcess> {
  const child = options.spawn(port);
  let output = "";
  const collect = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-2000);
  };
  child.stdout?.on("data", collect);
  child.stderr?.on("data", collect);
  const failed = Promise.withResolvers<never>();
  const fail = (reason: string): void =>
    failed.reject(new Error(`The engine did not start (${reason}): ${output.trim()}`));
  const timer = setTimeout(() => {
    child.kill("SIGKILL");
    fail(`no answer after ${startTimeoutMs} ms`);
  }, startTimeoutMs);
  child.once("error", (error) => fail(error.message));
  child.once("exit", (code) => fail(`exit ${code}`));
  failed.promise.catch(() => undefined);
  if (child.pid !== undefined) writeFileSync(options.pidFile, `${child.pid} ${process.pid}\n`);
  try {
    await Promise.race([options.ready(child, port), failed.promise]);
  } finally {
    clearTimeout(timer);
  }
  return child;
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGTERM");
  // An engine waits for open connections, but everything it answered is already on disk.
  const timer = setTimeout(() => child.kill("SIGKILL"), stopTimeoutMs);
  await exit;
  clearTimeout(timer);
}

async function stopOrphan({ pidFile, isOurs }: SupervisedOptions): Promise<void> {
  if (!existsSync(pidFile)) return;
  const [pid = 0, starter] = readFileSync(pidFile, "utf8").trim().split(" ").map(Number);
  const isStillStarters = () => {
    const found = findProcess(pid);
    return found !== undefined && isOurs(found.commandLine) && found.parent === starter;
  };
  // A killed starter closes its files shortly before it ends.
  for (let waitedMs = 0; isStillStarters(); waitedMs += 20) {
    if (waitedMs >= starterTimeoutMs)
      throw new Error(`Process ${starter} runs on the same files (${pidFile})`);
    await delay(20);
  }
  const found = findProcess(pid);
  if (found === undefined || !isOurs(found.commandLine)) return;
  process.kill(pid, "SIGTERM");
  for (let waitedMs = 0; findProcess(pid) !== undefined; waitedMs += 20) {
    if (waitedMs === stopTimeoutMs) process.kill(pid, "SIGKILL");
    if (waitedMs > 2 * stopTimeoutMs) throw new Error(`Process ${pid} of an earlier run does not stop`);
    await delay(20);
  }
}

async function freePort(): Promise<number> {
  const { url, stop } = await startLoopbackServer(() => undefined);
  await stop();
  return Number(new URL(url).port);
}
