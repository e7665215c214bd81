import { parseArgs } from "node:util";
import { randomFrom, someSeed } from "../harness/random.ts";
import { faultyRun } from "./faulty-run.ts";

/**
 * `npm run prove:faults -- [--events 2000] [--seed n]`: no event is lost or doubled, though
 * platform and store are killed again and again.
 */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "2000" },
    kills: { type: "string", default: "3" },
    "engine-kills": { type: "string", default: "3" },
    seed: { type: "string", default: String(someSeed()) },
  },
});
const seed = Number(values.seed);

console.log(`${values.events} events with kills on the way, seed ${seed}.`);
await faultyRun({
  events: Number(values.events),
  kills: Number(values.kills),
  engineKills: Number(values["engine-kills"]),
  random: randomFrom(seed),
  say: (line) => console.log(line),
});
console.log("Nothing was lost, nothing was doubled.");
