import { parseArgs } from "node:util";
import { faultyRun } from "./faulty-run.ts";

/**
 * `npm run prove:faults -- [--events 2000] [--seed n]`: sends the card network's events to a whole platform, which is killed again and again on the
 * way, its store too, and checks that nothing is lost or doubled.
 */
const { values } = parseArgs({
  options: {
    events: { type: "string", default: "2000" },
    kills: { type: "string", default: "3" },
    "engine-kills": { type: "string", default: "3" },
    seed: { type: "string", default: String(Date.now() % 1_000_000_000) },
  },
});
const seed = Number(values.seed);
let state = seed;

/** Numbers from 0 to 1 that the seed brings again (mulberry32). */
function random(): number {
  state = (state + 0x6d2b79f5) | 0;
  let bits = Math.imul(state ^ (state >>> 15), 1 | state);
  bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
  return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
}

console.log(`${values.events} events with kills on the way, seed ${seed}.`);
await faultyRun({
  events: Number(values.events),
  kills: Number(values.kills),
  engineKills: Number(values["engine-kills"]),
  random,
  say: (line) => console.log(line),
});
console.log("Nothing was lost, nothing was doubled.");
