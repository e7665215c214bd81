import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { json } from "../../infra/command-line/options.ts";
import { printJson, say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "drill",
  summary: "restores a copy of a running platform's store on this machine, and times each step",
  options: { json },
  failsIf: "the drill failed",
  run: async ({ options }) => {
    process.env.TZ = "UTC";
    const { drill } = await import("./drill.ts");
    const steps = await drill(say);
    say("The drill passed.");
    if (options.json) printJson({ steps });
  },
});

if (import.meta.main) await runCommand(command);
