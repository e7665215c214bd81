/**
 * `npm run audit -- <connection file> [journal file]`: audits a store and writes its journal, which
 * `hledger check -f <journal file>` proves independently. Exits with 1 for any fault.
 */
import path from "node:path";
import { readStore, useStore } from "./audit/connect-store.ts";
import { JournalFile } from "./audit/journal-file.ts";

const [connectionFile, givenFile] = process.argv.slice(2);
if (connectionFile === undefined) {
  console.error("Usage: npm run audit -- <connection file> [journal file]");
  process.exit(2);
}
const journalFile = givenFile ?? path.join(path.dirname(connectionFile), "audit.journal");
const store = readStore(connectionFile);
useStore(store);
// Imported late because it reads the environment.
const { auditStore } = await import("./audit/audit-store.ts");

const maximumPrinted = 100;
const started = performance.now();
let printedAt = 0;

const journal = new JournalFile(journalFile);
const { items, accounts, entries, events, trialBalance, faults } = await auditStore({ journal, onProgress });
await journal.end();
onProgress(items, true);
for (const line of trialBalance.lines()) console.log(line);
for (const fault of faults.slice(0, maximumPrinted)) console.log(`! ${fault}`);
if (faults.length > maximumPrinted) console.log(`! and ${faults.length - maximumPrinted} more`);
console.log(`${accounts} accounts, ${entries} journal entries, ${events} processor events.`);
console.log(`Journal: ${journalFile}`);
console.log(faults.length === 0 ? "The books are in order." : `Faults: ${faults.length}.`);
process.exit(faults.length === 0 ? 0 : 1);

function onProgress(read: number, last = false): void {
  const now = performance.now();
  if (!last && now - printedAt < 1_000) return;
  printedAt = now;
  const seconds = ((now - started) / 1_000).toFixed(1);
  console.error(`${seconds} s: ${read} items of ${store.issuingTable} read`);
}
