import { type ChildProcess, execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { setTimeout as delay } from "node:timers/promises";

export interface SupervisedOptions {
  /** Remembers the child over a `kill -9` of this process. */
  pidFile: string;
  /** Starts the engine on a port. */
  spawn(port: number): ChildProcess;
  /** Resolves once the engine serves. It is abandoned when the child exits first. */
  ready(child: ChildProcess, port: number): Promise<void>;
  /** Whether a process found under the remembered id is our engine: its id may have been given to another program. */
  isOurs(commandLine: string): boolean;
  /** The engine cannot be kept running. */
  onFailure(error: Error): void;
}

export interface SupervisedProcess {
  port: number;
  /** Only for tests: the id of the running child. */
  pid(): number;
  stop(): Promise<void>;
}

const START_ATTEMPTS = 5;
const RESTARTS_A_MINUTE = 5;
const START_TIMEOUT_MS = 60_000;
const STARTER_PATIENCE_MS = 500;
const STOP_TIMEOUT_MS = 1500;

/**
 * Runs a child process on a free loopback port, stops one that an earlier run left behind, and starts it again on the
 * same port should it die. Errors: the engine does not start; a living run holds the same files.
 */
export async function superviseProcess(options: SupervisedOptions): Promise<SupervisedProcess> {
  await stopOrphan(options);
  let { child, port } = await startOnFreePort(options);
  let stopping = false;
  let restarting: Promise<void> = Promise.resolve();
  const restarts: number[] = [];

  const watch = (): void => {
    child.once("exit", (code, signal) => {
      if (stopping) return;
      restarting = restart(`it exited with ${signal ?? `code ${code}`}`).catch(options.onFailure);
    });
  };
  const restart = async (reason: string): Promise<void> => {
    const minuteAgo = Date.now() - 60_000;
    if (restarts.filter((at) => at > minuteAgo).length >= RESTARTS_A_MINUTE) {
      throw new Error(`The engine on port ${port} keeps dying: ${reason}`);
    }
    restarts.push(Date.now());
    child = await start(options, port);
    watch();
  };
  watch();
  return {
    port,
    pid: () => child.pid ?? 0,
    stop: async () => {
      stopping = true;
      await restarting;
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
      // Somebody else may have taken the port between the look and the start.
      if (attempt === START_ATTEMPTS) throw error;
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
    fail(`no answer after ${START_TIMEOUT_MS} ms`);
  }, START_TIMEOUT_MS);
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
  // An engine waits for open connections. Everything answered is on disk, so it need not be waited for.
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exit;
  clearTimeout(timer);
}

async function stopOrphan({ pidFile, isOurs }: SupervisedOptions): Promise<void> {
  if (!existsSync(pidFile)) return;
  const [pid = 0, starter] = readFileSync(pidFile, "utf8").trim().split(" ").map(Number);
  const isStillStarters = () => {
    const found = findProcess(pid);
    // A child whose parent has died is given to another one.
    return found !== undefined && isOurs(found.commandLine) && found.parent === starter;
  };
  // One that is being killed has closed its files a moment before.
  for (let waitedMs = 0; isStillStarters(); waitedMs += 20) {
    if (waitedMs >= STARTER_PATIENCE_MS)
      throw new Error(`Process ${starter} runs the platform on these files (${pidFile})`);
    await delay(20);
  }
  const found = findProcess(pid);
  if (found === undefined || !isOurs(found.commandLine)) return;
  process.kill(pid, "SIGTERM");
  for (let waitedMs = 0; findProcess(pid) !== undefined; waitedMs += 20) {
    if (waitedMs === STOP_TIMEOUT_MS) process.kill(pid, "SIGKILL");
    if (waitedMs > 2 * STOP_TIMEOUT_MS) throw new Error(`Process ${pid} of an earlier run does not stop`);
    await delay(20);
  }
}

/** A running process; undefined when there is none, or only a zombie that its parent has not collected. */
export function findProcess(pid: number): { parent: number; commandLine: string } | undefined {
  if (!Number.isInteger(pid) || pid <= 1) return undefined;
  try {
    if (process.platform === "linux") {
      const [state, parent] = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /s, "")
        .split(" ");
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
      return state === "Z" ? undefined : { parent: Number(parent), commandLine };
    }
    const line = execFileSync("ps", ["-o", "stat=,ppid=,args=", "-p", String(pid)])
      .toString()
      .trim();
    const [state = "", parent, ...command] = line.split(/\s+/);
    return state.startsWith("Z") ? undefined : { parent: Number(parent), commandLine: command.join(" ") };
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}
