import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { runProgram } from "../../infra/command-line/run-program.ts";
import { ProgressFile } from "../../infra/commands/restore/progress-file.ts";
import { type Restoration, restoreWhole } from "../../infra/commands/restore/whole-restore.ts";

/** A restore whose step, of this name, waits for a program that does not end. */
await runCommand(
  declareCommand({
    name: "hanging-restore",
    summary: "hangs",
    takes: [
      { name: "file", about: "of its progress" },
      { name: "step", about: "which hangs" },
    ],
    run: async ({ words: [file = "", hanging] }) => {
      const script = "console.log('hangs with ' + process.pid); setInterval(() => {}, 1_000)";
      const step = async (name: string) => {
        if (name === hanging) await runProgram(process.execPath, ["--eval", script]);
      };
      const steps: Restoration = {
        checkTime: () => step("checkTime"),
        stopTraffic: () => step("stopTraffic"),
        restoreTables: () => step("restoreTables"),
        audit: () => step("audit").then(() => true),
        switchOver: () => step("switchOver"),
        repeatChanges: () => step("repeatChanges").then(() => []),
        mendLists: () => step("mendLists").then(() => []),
        admitTraffic: () => step("admitTraffic"),
        check: () => step("check"),
      };
      const progress = new ProgressFile(file, "npm run restore -- staging");
      await restoreWhole(steps, progress, { acceptsFaults: false, hasRepeated: false }, () => undefined);
      return true;
    },
  }),
);
