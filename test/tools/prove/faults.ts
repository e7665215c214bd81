import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { json, number, seed } from "../../../infra/command-line/options.ts";
import { printJson, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "prove:faults",
  summary:
    "sends events, transfers from a split Wallet, payouts and pulls, to a platform that is killed at random: nothing is lost, nothing doubled",
  options: {
    events: number("how many", { fallback: 2_000 }),
    kills: number("of the whole platform", { least: 0, fallback: 3 }),
    "engine-kills": number("of the store alone", { least: 0, fallback: 3 }),
    seed,
    json,
  },
  failsIf: "something was lost or doubled",
  run: async ({ options: { events, kills, "engine-kills": engineKills, seed: given, json: isJson } }) => {
    const { randomFrom, someSeed } = await import("../../harness/random.ts");
    const { faultyRun } = await import("./faulty-run.ts");
    const seed = given ?? someSeed();
    say(`${events} events with kills on the way, seed ${seed}.`);
    await faultyRun({ events, kills, engineKills, random: randomFrom(seed), say });
    say("Nothing was lost, nothing was doubled.");
    if (isJson) printJson({ events, kills, engineKills, seed });
  },
});

if (import.meta.main) await runCommand(command);
