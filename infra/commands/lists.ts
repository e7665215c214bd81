import "../../shared/ledger/hot/door.ts";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { connectionArgument, readConnectionFile } from "../command-line/connection-file.ts";
import { json, UsageError } from "../command-line/options.ts";
import { printJson, progress, say } from "../command-line/print.ts";

const maximumPrinted = 20;

export const command = declareCommand({
  name: "lists",
  summary: "compares a Program's lists with its records, or rebuilds them while they are in use",
  takes: [
    {
      name: "action",
      about: "compares, or rebuilds and then compares",
      choices: ["check", "rebuild"],
    },
    connectionArgument,
    { name: "program id", about: "default: the connection file's Program", is: "optional" },
  ],
  options: { json },
  notes: "The connection file may be left out before the Program's id.",
  failsIf: "something differs",
  run: async ({ words: [action, ...others], options }) => {
    const given = others[0]?.startsWith("prg_") ? [undefined, ...others] : others;
    if (given.length > 2) throw new UsageError(`"${given[2]}" is one argument too many.`);
    const z = await import("zod");
    const { openStore } = await import("./audit/connect-store.ts");
    const { file } = openStore(given[0]);
    const Program = z.object({ programId: z.string().optional() });
    const programId = given[1] ?? readConnectionFile(file, Program).programId;
    if (programId === undefined) throw new UsageError(`${file} names no Program: give its id.`);
    // Imported late because it reads the environment.
    const { compareLists } = await import("./audit/program-lists.ts");
    const faults = await compareLists(programId, {
      isRebuilt: action === "rebuild",
      onList: (name) => progress(`${programId}: ${name}`),
      onOvertaken: (name) => say(`${name}: another rebuild has started.`),
    });
    for (const [name, found] of faults) {
      say(`${name}: ${found.length === 0 ? "equal to its records" : `${found.length} differences`}`);
      for (const fault of found.slice(0, maximumPrinted)) say(`! ${fault}`);
    }
    if (options.json) printJson({ programId, differences: Object.fromEntries(faults) });
    return [...faults.values()].every(({ length }) => length === 0);
  },
});

if (import.meta.main) await runCommand(command);
