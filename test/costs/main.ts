import { readFileSync, writeFileSync } from "node:fs";
import { startEngine, useTables } from "../harness/engine.ts";
import { tablesOfTheTemplate } from "../harness/tables.ts";
import type { Recorded } from "./model.ts";
import { costsPage } from "./page.ts";
import { standingOfProduction } from "./standing.ts";

/**
 * `npm run costs`: measures each step, writes measured.json and docs/costs.md. With `-- page` it
 * only writes the page: for new prices, assumptions or alarms.
 */
const file = new URL("measured.json", import.meta.url);
const page = new URL("../../docs/costs.md", import.meta.url);
const measured =
  process.argv[2] === "page" ? (JSON.parse(readFileSync(file, "utf8")) as Recorded) : await measureAll();
const recorded: Recorded = { ...measured, standing: standingOfProduction() };
writeFileSync(file, `${JSON.stringify(recorded, null, 2)}\n`);
writeFileSync(page, costsPage(recorded));
console.log(
  `${Object.keys(recorded.steps).length} steps of ${recorded.measuredOn}; docs/costs.md is written.`,
);
process.exit(0);

async function measureAll(): Promise<Omit<Recorded, "standing">> {
  process.env.LOG_LEVEL = "INFO";
  const engine = await startEngine();
  try {
    await useTables(engine.endpoint, tablesOfTheTemplate(), "costs");
    // Imported only now: what they import reads the environment.
    const { measureSteps } = await import("./measure-steps.ts");
    const measuredOn = new Date().toISOString().slice(0, 10);
    return { measuredOn, steps: await withoutLog(() => measureSteps(25)) };
  } finally {
    await engine.stop();
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
