import { readFileSync, writeFileSync } from "node:fs";
import { cleanUp } from "../../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { json } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";
import { toRecordLines } from "../../harness/record-lines.ts";
import type { Recorded } from "./model.ts";

const file = new URL("measured.json", import.meta.url);
const page = new URL("../../../docs/costs.md", import.meta.url);

export const command = declareCommand({
  name: "costs",
  summary: "measures what requests and events consume, and writes docs/costs.md",
  takes: [
    {
      name: "page",
      about: "only writes the page, for new prices, assumptions or alarms",
      is: "optional",
      choices: ["page"],
    },
  ],
  options: { json },
  run: async ({ words: [only], options }) => {
    const measured = only === undefined ? await measureAll() : readRecorded();
    const { costsPage } = await import("./page.ts");
    const { standingOfProduction } = await import("./standing.ts");
    const { listenerParts } = await import("./listener.ts");
    const standing = standingOfProduction();
    const recorded: Recorded = { ...measured, standing, listener: listenerParts() };
    writeFileSync(file, `${toRecordLines(recorded, 2)}\n`);
    writeFileSync(page, costsPage(recorded));
    const { steps, measuredOn } = recorded;
    say(`${Object.keys(steps).length} steps of ${measuredOn}; docs/costs.md is written.`);
    if (options.json) printJson(recorded);
  },
});

function readRecorded(): Recorded {
  return JSON.parse(readFileSync(file, "utf8"));
}

async function measureAll(): Promise<Omit<Recorded, "standing" | "listener">> {
  const { startEngine, useTables } = await import("../../harness/engine.ts");
  const { tablesOfTheTemplate } = await import("../../harness/tables.ts");
  process.env.LOG_LEVEL = "INFO";
  await using cleaning = cleanUp();
  const engine = await startEngine();
  cleaning.defer(engine.stop);
  const startedMs = performance.now();
  const seconds = () => Math.round((performance.now() - startedMs) / 1_000);
  const told = setInterval(() => progress(`measuring each step for ${seconds()} s`), 1_000);
  try {
    await useTables(engine.endpoint, tablesOfTheTemplate(), "costs");
    // Imported only now: what they import reads the environment.
    const { measureSteps } = await import("./measure-steps.ts");
    const measuredOn = new Date().toISOString().slice(0, 10);
    return { measuredOn, steps: await withoutLog(() => measureSteps(25)) };
  } finally {
    clearInterval(told);
  }
}

/** Preparations log too; log lines are measured, not read. */
async function withoutLog<T>(work: () => Promise<T>): Promise<T> {
  const { stdout } = process;
  const write = stdout.write;
  stdout.write = (_chunk: string | Uint8Array, ...rest: unknown[]) => {
    const done = rest.at(-1);
    if (typeof done === "function") done();
    return true;
  };
  return work().finally(() => {
    stdout.write = write;
  });
}

if (import.meta.main) await runCommand(command);
