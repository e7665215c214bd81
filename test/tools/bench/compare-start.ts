import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
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
  ],
  quickPairs: 1,
  isSlow: true,
  isColdMeasured: true,
  open: async ({ directory }) => ({
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
        return [
          installed.cpuSeconds + first.cpuSeconds,
          installed.seconds + first.seconds,
          installed.cpuSeconds,
          first.cpuSeconds,
          again.cpuSeconds,
          again.seconds,
        ];
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  }),
};

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
