import { parseArgs } from "node:util";
import { startEngine, useTables } from "../harness/engine.ts";
import { someSeed } from "../harness/random.ts";
import { tablesOfTheTemplate } from "../harness/tables.ts";

/**
 * `npm run prove -- [--sequences 1000] [--seed n]`: random sequences of 60 events against the real
 * engine and the reference model. A seed repeats a run.
 */
const { values } = parseArgs({
  options: {
    sequences: { type: "string", default: "1000" },
    lanes: { type: "string", default: "6" },
    seed: { type: "string", default: String(someSeed()) },
  },
});
const sequences = Number(values.sequences);
const seed = Number(values.seed);

const engine = await startEngine();
try {
  await useTables(engine.endpoint, tablesOfTheTemplate(), "prove");
  // Imported only now: what it imports reads the environment.
  const { proveCards } = await import("../harness/card-model/run-sequence.ts");
  console.log(`Proving ${sequences} sequences of 60 events against ${engine.endpoint}, seed ${seed}.`);
  const started = performance.now();
  let count = 0;
  const done = () => {
    count += 1;
    if (count % 50 !== 0) return;
    const seconds = (performance.now() - started) / 1000;
    console.log(`${count} of ${sequences} in ${seconds.toFixed(0)} s`);
  };
  await proveCards({ sequences, lanes: Number(values.lanes), seed, done });
  console.log(`All ${count} sequences came out as the model says.`);
} finally {
  await engine.stop();
}
