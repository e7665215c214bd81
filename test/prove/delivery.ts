import { parseArgs } from "node:util";
import { randomFrom, someSeed } from "../harness/random.ts";
import { deliveryRun } from "./delivery-run.ts";

/**
 * `npm run prove:delivery -- [--events 300] [--seed n]`: everything arrives, with the same bytes,
 * though the receiver fails and functions are killed at random.
 */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "300" },
    seed: { type: "string", default: String(someSeed()) },
  },
});
const seed = Number(values.seed);

console.log(
  `${values.events} events to a receiver that fails, with functions killed on the way, seed ${seed}.`,
);
await deliveryRun({
  events: Number(values.events),
  random: randomFrom(seed),
  say: (line) => console.log(line),
});
console.log("Everything arrived, byte for byte, and nothing was lost.");
