import { declareCommand, runCommand } from "../command-line/command.ts";
import { connectionArgument } from "../command-line/connection-file.ts";
import { CannotRun, json } from "../command-line/options.ts";
import { printJson, progress, say } from "../command-line/print.ts";

export const command = declareCommand({
  name: "archive",
  summary: "moves Cards' journal entries of months that are closed and proved to locked objects",
  takes: [connectionArgument],
  options: { json },
  notes: "The last 13 months stay in the table. Run it once a month; it may be stopped and repeated.",
  failsIf: "a Card's balances were not proved: nothing of that Card is moved",
  run: async ({ words: [given], options }) => {
    const { openStore } = await import("./audit/connect-store.ts");
    const { file, store } = openStore(given);
    if (store.records === undefined) throw new CannotRun(`${file} names no bucket of records.`);
    // Imported late because it reads the environment.
    const { moveMonths } = await import("./archive/move-months.ts");
    const onCard = (cards: number) => progress(`${cards} Cards`);
    const { cards, months, entries, faults } = await moveMonths(new Date(), onCard);
    for (const fault of faults) say(`! ${fault}`);
    say(`${entries} entries of ${months} months moved, of ${cards} Cards.`);
    if (options.json) printJson({ cards, months, entries, faults });
    return faults.length === 0;
  },
});

if (import.meta.main) await runCommand(command);
