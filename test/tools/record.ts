import { declareCommand, runCommand } from "../../infra/command-line/command.ts";
import { UsageError } from "../../infra/command-line/options.ts";
import { progress, say } from "../../infra/command-line/print.ts";

export const command = declareCommand({
  name: "record",
  summary: "records events/ from real requests, with the reference's examples in answers.json",
  takes: [
    { name: "prefix", about: "of recorded files, such as cards/unload-card; default: all", is: "repeatable" },
  ],
  run: async ({ words: given }) => {
    const { contractCases } = await import("../harness/cases/cases.ts");
    const { caseFile, everyRecordedFile } = await import("../harness/cases/recorded-case.ts");
    const { withDashes } = await import("../harness/cases/recorded-folder.ts");
    // An operation is also found by its name in the contract: `cards/unloadCard`.
    const words = given.map(withDashes);
    const files = [...contractCases().map(caseFile), ...everyRecordedFile()];
    for (const word of words)
      if (!files.some((file) => file.startsWith(word)))
        throw new UsageError(`No recorded file begins with "${word}".`);
    progress("starting a platform and sending each request");
    const { recordEvents } = await import("../harness/record-events.ts");
    say(`Recorded ${await recordEvents(words)} events.`);
  },
});

if (import.meta.main) await runCommand(command);
