import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cpuSecondsOfTree } from "../../harness/process-memory.ts";
import { cloneFiles } from "./builds.ts";
import type { Comparison } from "./comparison.ts";
import { startBuild } from "./started-build.ts";

/** From a fresh clone to the first answer, with a warm cache of npm. */
export const comparison: Comparison = {
  title: "npm ci && npm start, to the first 200",
  figures: [
    { name: "processor, both", unit: "s", ratio: { most: 0.6 } },
    { name: "time, both", unit: "s", ratio: { most: 0.6 } },
    { name: "processor, npm ci", unit: "s" },
    { name: "processor, npm start", unit: "s" },
    { name: "processor, npm start again", unit: "s" },
    { name: "time, npm start again", unit: "s" },
    { name: "time, a synthesis after a change of a function", unit: "s", value: { most: 1.5 } },
    { name: "time, --watch until a changed function is replaced", unit: "s", value: { most: 2 } },
  ],
  quickPairs: 1,
  isVerySlow: true,
  isColdMeasured: true,
  open: async ({ directory, name }) => ({
    measure: async () => {
      const folder = mkdtempSync(join(tmpdir(), "bench-clone-"));
      const clone = join(folder, "clone");
      try {
        cloneFiles(directory, clone);
        const installed = await install(clone);
        const first = await startBuild(clone);
        await first.stop();
        const again = await startBuild(clone);
        await again.stop();
        changeFunction(clone);
        const synthesisSeconds = await synthesize(clone);
        return [
          installed.cpuSeconds + first.cpuSeconds,
          installed.seconds + first.seconds,
          installed.cpuSeconds,
          first.cpuSeconds,
          again.cpuSeconds,
          again.seconds,
          synthesisSeconds,
          name === "now" ? await replaceWatched(clone) : undefined,
        ];
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }),
};

let changes = 0;

/** By something that its bundle keeps. */
function changeFunction(directory: string): void {
  changes += 1;
  appendFileSync(join(directory, "functions/wallets/handler.ts"), `export const change${changes} = true;\n`);
}

/** What a start does about changed sources, in a process of its own. */
async function synthesize(directory: string): Promise<number> {
  const code = `await (await import("./infra/development/fresh-assembly.ts")).ensureFreshAssembly({ say() {} })`;
  const startedMs = performance.now();
  const node = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: directory,
    stdio: ["ignore", "ignore", 2],
  });
  const [exitCode] = await once(node, "exit");
  if (exitCode !== 0) throw new Error(`The synthesis ended with ${exitCode}.`);
  return (performance.now() - startedMs) / 1_000;
}

/** Until the watch has opened its build. */
const watchOpensMs = 5_000;
const replacedTimeoutMs = 60_000;

async function replaceWatched(directory: string): Promise<number> {
  const replaced = Promise.withResolvers<void>();
  let isChanged = false;
  const platform = await startBuild(directory, {
    words: ["--watch"],
    say: (text) => {
      if (isChanged && text.includes("Replaced wallets")) replaced.resolve();
    },
  });
  try {
    await delay(watchOpensMs);
    isChanged = true;
    const startedMs = performance.now();
    changeFunction(directory);
    AbortSignal.timeout(replacedTimeoutMs).addEventListener("abort", () =>
      replaced.reject(new Error("The changed function is not replaced.")),
    );
    await replaced.promise;
    return (performance.now() - startedMs) / 1_000;
  } finally {
    await platform.stop();
  }
}

async function install(directory: string): Promise<{ seconds: number; cpuSeconds: number }> {
  // What this process's ended children used is counted with it.
  const used = () => cpuSecondsOfTree(process.pid) ?? Number.NaN;
  const own = () => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6;
  const [startedMs, before] = [performance.now(), used() - own()];
  const npm = spawn("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd: directory,
    stdio: ["ignore", "ignore", 2],
  });
  const [code] = await once(npm, "exit");
  if (code !== 0) throw new Error(`npm ci ended with ${code}.`);
  return { seconds: (performance.now() - startedMs) / 1_000, cpuSeconds: used() - own() - before };
}
