import { execFile } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { connectionFile } from "../../../infra/development/connection.ts";
import type { Comparison } from "./comparison.ts";
import { startBuild } from "./started-build.ts";

const loadOptions = ["--rate", "15"];

/** Everything that `npm start` runs, npm included (PSS). */
export const comparison: Comparison = {
  title: "Memory of the local platform",
  figures: [
    { name: "at rest", unit: "MB", ratio: { most: 0.7 } },
    { name: "after a load", unit: "MB", ratio: { most: 0.7 } },
  ],
  pairs: 1,
  isSlow: true,
  isColdMeasured: true,
  open: async ({ directory, isQuick }) => ({
    measure: async () => {
      const platform = await startBuild(directory);
      try {
        const restMs = isQuick ? 5_000 : 20_000;
        await delay(restMs);
        const rest = platform.megabytesNow();
        const seconds = ["--seconds", isQuick ? "10" : "60"];
        const file = connectionFile(platform.directory);
        const load = ["run", "load", "--", file, ...loadOptions, ...seconds];
        // Its exit code is about latencies, which are not measured here.
        await promisify(execFile)("npm", load, { cwd: directory }).catch(({ code, stderr }) => {
          if (code !== 1) throw new Error(stderr);
        });
        await delay(restMs);
        return [rest, platform.megabytesNow()];
      } finally {
        await platform.stop();
      }
    },
  }),
};
