import { declareCommand, runCommand } from "../command-line/command.ts";
import { readConnection } from "../command-line/connection.ts";
import { text } from "../command-line/options.ts";
import { scenarioNames } from "./trigger/scenario-names.ts";

export const command = declareCommand({
  name: "trigger",
  summary: "plays a story of the card network, a wallet or a bank on the running local platform",
  takes: [{ name: "scenario", about: "what happens", choices: scenarioNames }],
  options: {
    card: text("<cardId>", "plays it on this Card of the demo Program; default: a new one with money"),
  },
  notes: `Each step prints what it made. npm run listen, in another terminal, prints the webhooks.`,
  run: async ({ words: [name = ""], options: { card } }) => {
    const { playScenario } = await import("./trigger/play-scenario.ts");
    await playScenario(readConnection(), name as (typeof scenarioNames)[number], card);
    return true;
  },
});

if (import.meta.main) await runCommand(command);
