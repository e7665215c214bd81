import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { createClient } from "../../../client/src/card-issuing.ts";
import { type Connection, connectionFile, readConnection } from "../../../infra/development/connection.ts";
import { findProcess } from "../../../infra/local/find-process.ts";
import { memoryOfTree } from "../../harness/process-memory.ts";
import { startReceiver } from "../../harness/receiver.ts";
import { progress, type Row } from "./report.ts";

/** Started by main.ts in a process of its own, as `npm start` is. */
const project = resolve(import.meta.dirname, "../../..");
const limits = { restMegabytes: 600, loadedMegabytes: 900 };
const startTimeoutMs = 180_000;
const pollMs = 20;
const restMs = 20_000;
const loadOptions = ["--seconds", "60", "--rate", "15"];

interface Started {
  readonly seconds: number;
  readonly directory: string;
  megabytes(): number;
  stop(): Promise<void>;
}

async function start(): Promise<Started> {
  const directory = mkdtempSync(join(tmpdir(), "bench-start-"));
  const receiver = await startReceiver();
  await receiver.stop();
  const startedMs = performance.now();
  const npm = spawn("npm", ["start"], {
    cwd: project,
    env: { ...process.env, PORT: "0", LOCAL_DIR: directory, LOCAL_RECEIVERS: receiver.origin },
    stdio: "ignore",
  });
  const ended = once(npm, "exit");
  const stop = async () => {
    const platform = Number(readFileSync(join(directory, "lock.holder"), "utf8"));
    npm.kill("SIGTERM");
    await ended;
    while (findProcess(platform) !== undefined) await delay(pollMs);
    rmSync(directory, { recursive: true, force: true });
  };
  while (!(await answers(directory))) {
    if (npm.exitCode !== null) throw new Error("The platform ended instead of starting.");
    if (performance.now() - startedMs > startTimeoutMs) throw new Error("The platform does not start.");
    await delay(pollMs);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const megabytes = () => (memoryOfTree(npm.pid ?? 0) ?? Number.NaN) / 1024 ** 2;
  return { seconds, directory, megabytes, stop };
}

async function answers(directory: string): Promise<boolean> {
  const connection = readConnection(directory);
  return connection !== undefined && (await isServing(connection));
}

async function isServing({ baseUrl, ca, cert, key, programApiKey }: Connection): Promise<boolean> {
  const [authority, certificate, privateKey] = [ca, cert, key].map((file) => readFileSync(file, "utf8"));
  const credentials = { certificate: certificate ?? "", key: privateKey ?? "", authority: authority ?? "" };
  const client = createClient({ baseUrl, ...credentials, apiKey: programApiKey, attempts: 1 });
  try {
    return (await client.GET("/wallets", {})).response.status === 200;
  } catch {
    return false;
  } finally {
    await client.close();
  }
}

async function secondsToStart(isSynthesisKept: boolean): Promise<number> {
  progress(`start, synthesis ${isSynthesisKept ? "kept" : "from nothing"}`);
  if (!isSynthesisKept)
    for (const kept of ["local.stamp.json", "compile-cache"])
      rmSync(join(project, "cdk.out", kept), { recursive: true, force: true });
  const { seconds, stop } = await start();
  await stop();
  return seconds;
}

async function memory(): Promise<{ rest: number; loaded: number }> {
  const { directory, megabytes, stop } = await start();
  try {
    progress("memory at rest");
    await delay(restMs);
    const rest = megabytes();
    progress("memory after the load");
    const load = join(project, "test/tools/load/main.ts");
    // Its exit code is about latencies, which are not measured here.
    await promisify(execFile)(process.execPath, [load, connectionFile(directory), ...loadOptions]).catch(
      ({ code, stderr }) => {
        if (code !== 1) throw new Error(stderr);
      },
    );
    await delay(restMs);
    return { rest, loaded: megabytes() };
  } finally {
    await stop();
  }
}

function memoryRow(name: string, measured: number, limit: number): Row {
  const [megabytes, most] = [`${measured.toFixed(0)} MB`, `${limit} MB`];
  const broken = measured > limit ? `${name}: ${megabytes}, not ${most}.` : undefined;
  return { cells: [name, megabytes, most], broken };
}

const [fromNothing, kept] = [await secondsToStart(false), await secondsToStart(true)];
const { rest, loaded } = await memory();
const table = {
  title: "npm start: time, and memory (PSS) with npm",
  columns: ["", "measured", "limit"],
  rows: [
    { cells: ["first 200, from nothing", `${fromNothing.toFixed(1)} s`, ""] },
    { cells: ["first 200, synthesis kept", `${kept.toFixed(1)} s`, ""] },
    memoryRow("memory at rest", rest, limits.restMegabytes),
    memoryRow("memory after the load", loaded, limits.loadedMegabytes),
  ],
};
process.send?.([table]);
process.disconnect?.();
