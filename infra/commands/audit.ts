import "../../shared/ledger/hot/door.ts";
import path from "node:path";
import { declareCommand, runCommand } from "../command-line/command.ts";
import { connectionArgument } from "../command-line/connection-file.ts";
import { json } from "../command-line/options.ts";
import { printJson, progress, say } from "../command-line/print.ts";

const maximumPrinted = 100;

export const command = declareCommand({
  name: "audit",
  summary: "proves every balance and checkpoint from the journal, and exports the journal for hledger",
  takes: [
    connectionArgument,
    {
      name: "journal file",
      about: "default: audit.journal beside the connection file",
      is: "optional",
    },
  ],
  options: { json },
  notes: "`hledger check -f <journal file>` proves the exported journal independently.",
  failsIf: "a fault was found",
  run: async ({ words: [givenFile, givenJournal], options }) => {
    const { openStore } = await import("./audit/connect-store.ts");
    const { file, store } = openStore(givenFile);
    const journalFile = givenJournal ?? path.join(path.dirname(file), "audit.journal");
    const { JournalFile } = await import("./audit/journal-file.ts");
    // Imported late because it reads the environment.
    const { auditStore } = await import("./audit/audit-store.ts");
    const journal = new JournalFile(journalFile);
    progress(`reading ${store.issuingTable}, about a minute for each million items`);
    const onProgress = (items: number) => progress(`${items} items of ${store.issuingTable} read`);
    const { trialBalance, faults, ...counts } = await auditStore({ journal, onProgress });
    const { items, accounts, entries, events, overdue } = counts;
    await journal.end();
    for (const line of trialBalance.lines()) say(line);
    for (const fault of faults.slice(0, maximumPrinted)) say(`! ${fault}`);
    if (faults.length > maximumPrinted) say(`! and ${faults.length - maximumPrinted} more`);
    say(`${items} items: ${accounts} accounts, ${entries} journal entries, ${events} processor events.`);
    if (overdue > 0) say(`${overdue} entries of Cards are older than 14 months: run npm run archive.`);
    say(`Journal: ${journalFile}`);
    say(faults.length === 0 ? "The books are in order." : `Faults: ${faults.length}.`);
    if (options.json) printJson({ ...counts, faults, journalFile });
    return faults.length === 0;
  },
});

if (import.meta.main) await runCommand(command);
