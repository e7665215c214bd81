import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "drill",
  summary: "restores a copy of a running platform's store on this machine, and times each step",
  failsIf: "the drill failed",
  run: async () => {
    process.env.TZ = "UTC";
    const { drill } = await import("./drill.ts");
    await drill(say);
    say("The drill passed.");
  },
});

if (import.meta.main) await runCommand(command);
