import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { flag, json } from "../../../infra/command-line/options.ts";
import { printJson, say } from "../../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "drill",
  summary: "practises a restore on this machine, and times each step",
  options: {
    "second-copy": flag("loses tables and buckets, and restores them from the copy of another account"),
    json,
  },
  failsIf: "the drill failed",
  run: async ({ options }) => {
    process.env.TZ = "UTC";
    const { practise } = await import("./practice.ts");
    const chosen = options["second-copy"]
      ? (await import("./second-copy.ts")).secondCopyDrill
      : (await import("./drill.ts")).drill;
    const steps = await practise(say, chosen);
    say("The drill passed.");
    if (options.json) printJson({ steps });
  },
});

if (import.meta.main) await runCommand(command);
