import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { type Connection, connectionFile } from "../../../infra/development/connection.ts";
import { findProcess } from "../../../infra/local/find-process.ts";
import { cpuSecondsOfTree, memoryOfTree } from "../../harness/process-memory.ts";
import { startReceiver } from "../../harness/receiver.ts";

const startTimeoutMs = 240_000;
const pollMs = 20;

/** `npm start` of any build, in a directory of its own, after its first HTTP 200. */
export interface StartedBuild {
  readonly directory: string;
  readonly connection: Connection;
  /** From `npm start` to the first 200. */
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Of npm and all below it, so far. */
  cpuSecondsNow(): number;
  /** Of it, the DynamoDB engine's. */
  engineSecondsNow(): number;
  megabytesNow(): number;
  stop(): Promise<void>;
}

interface StartOptions {
  /** Of `npm start`. */
  readonly words?: readonly string[];
  /** Gets what the platform says. */
  say?(text: string): void;
}

export async function startBuild(
  build: string,
  { words = [], say }: StartOptions = {},
): Promise<StartedBuild> {
  const directory = mkdtempSync(join(tmpdir(), "bench-start-"));
  const receiver = await startReceiver();
  await receiver.stop();
  const startedMs = performance.now();
  const npm = spawn("npm", ["start", "--", ...words], {
    cwd: build,
    env: {
      ...process.env,
      PORT: "0",
      LOCAL_DIR: directory,
      LOCAL_RECEIVERS: receiver.origin,
    },
    stdio: ["ignore", say ? "pipe" : "ignore", 2],
  });
  npm.stdout?.setEncoding("utf8").on("data", (text: string) => say?.(text));
  const ended = once(npm, "exit");
  const pid = npm.pid ?? 0;
  const cpuSecondsNow = () => cpuSecondsOfTree(pid) ?? Number.NaN;
  const engineSecondsNow = () => cpuSecondsOfTree(pid, isEngine) ?? Number.NaN;
  const stop = async () => {
    const holder = join(directory, "lock.holder");
    const platform = existsSync(holder) ? Number(readFileSync(holder, "utf8")) : undefined;
    npm.kill("SIGTERM");
    await ended;
    while (platform !== undefined && findProcess(platform) !== undefined) await delay(pollMs);
    rmSync(directory, { recursive: true, force: true });
  };
  const file = connectionFile(directory);
  while (!(existsSync(file) && (await isServing(file)))) {
    if (npm.exitCode !== null) throw new Error("The platform ended instead of starting.");
    if (performance.now() - startedMs > startTimeoutMs) {
      await stop();
      throw new Error("The platform does not start.");
    }
    await delay(pollMs);
  }
  return {
    directory,
    connection: JSON.parse(readFileSync(file, "utf8")),
    seconds: (performance.now() - startedMs) / 1_000,
    cpuSeconds: cpuSecondsNow(),
    cpuSecondsNow,
    engineSecondsNow,
    megabytesNow: () => (memoryOfTree(pid) ?? Number.NaN) / 1024 ** 2,
    stop,
  };
}

const isEngine = (commandLine: string) => /dynoxide serve|DynamoDBLocal\.jar/.test(commandLine);

async function isServing(file: string): Promise<boolean> {
  const connection: Connection = JSON.parse(readFileSync(file, "utf8"));
  const [ca, cert, key] = [connection.ca, connection.cert, connection.key].map((name) => readFileSync(name));
  const headers = { "X-API-Key": connection.programApiKey };
  const call = request(new URL(`${connection.baseUrl.replace(/\/$/, "")}/wallets`), {
    ca,
    cert,
    key,
    headers,
  });
  call.end();
  try {
    const [answer] = await once(call, "response");
    answer.resume();
    return answer.statusCode === 200;
  } catch {
    return false;
  }
}
