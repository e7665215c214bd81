import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { json, number, seed } from "../../../infra/command-line/options.ts";
import { printJson, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "prove:delivery",
  summary:
    "sends webhooks, passcodes and reminders to a failing receiver, with kills: all arrive, byte for byte",
  options: { events: number("how many", { fallback: 300 }), seed, json },
  failsIf: "something did not arrive, or differs",
  run: async ({ options: { events, seed: given, json: isJson } }) => {
    const { randomFrom, someSeed } = await import("../../harness/random.ts");
    const { deliveryRun } = await import("./delivery-run.ts");
    const seed = given ?? someSeed();
    say(`${events} events to a receiver that fails, with functions killed on the way, seed ${seed}.`);
    await deliveryRun({ events, random: randomFrom(seed), say });
    say("Everything arrived, byte for byte, and nothing was lost.");
    if (isJson) printJson({ events, seed });
  },
});

if (import.meta.main) await runCommand(command);
