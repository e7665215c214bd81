import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { startChain } from "./event-chain.ts";

const program = fileURLToPath(new URL("./event-chain.ts", import.meta.url));

/** Runs the chain, kills it after this number of answered writes, and returns their keys. */
async function answeredBeforeKill(args: string[], writes: number): Promise<string[]> {
  const run = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  for await (const chunk of run.stdout) {
    output += chunk;
    if (output.split(" ").length > writes) run.kill("SIGKILL");
  }
  return output.slice(0, output.lastIndexOf(" ")).split(" ");
}

it("brings every write that was answered to its consumer, however often everything is killed on the way", async () => {
  const directory = mkdtempSync(join(tmpdir(), "kill-"));
  const arrivals = join(directory, "arrivals");
  const answered: string[] = [];
  for (const [round, writes] of [20, 60, 35].entries()) {
    answered.push(...(await answeredBeforeKill([directory, arrivals, String(round)], writes)));
  }
  const last = await startChain(directory, arrivals);
  await last.events.settled();
  await last.stop({ keep: true });
  const arrived = new Set(readFileSync(arrivals, "utf8").split("\n"));
  rmSync(directory, { recursive: true });
  expect(answered.length).toBeGreaterThan(100);
  expect(answered.filter((key) => !arrived.has(key))).toEqual([]);
});
