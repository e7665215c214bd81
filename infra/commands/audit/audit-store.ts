import { paginateScan } from "@aws-sdk/lib-dynamodb";
import type { Currency } from "../../../shared/contract/enums.ts";
import type { SuspenseItem } from "../../../shared/deposits/suspense.ts";
import { isMovedMonth, isOverdue, WholeJournal } from "../../../shared/ledger/closed-journal.ts";
import { now } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { readProgram } from "../../../shared/tenancy/programs/program.ts";
import { AccountBooks, checkpointFaults, proveAccount, toWhole, walletSumFaults } from "./account-books.ts";
import { ClosingCheck } from "./closing-check.ts";
import { DeadlineCheck } from "./deadline-check.ts";
import { DisputeBooks } from "./dispute-books.ts";
import { Entries, Events, Reservations, TrialBalance } from "./journal-checks.ts";
import type { JournalFile } from "./journal-file.ts";
import { UsageBooks } from "./usage-books.ts";

type Item = Record<string, unknown>;

interface AuditOptions {
  readonly journal: JournalFile;
  onProgress(items: number): void;
}

export interface AuditResult {
  readonly items: number;
  readonly accounts: number;
  readonly entries: number;
  readonly events: number;
  /** Entries of Cards that `npm run archive` should have moved a month ago. */
  readonly overdue: number;
  readonly trialBalance: TrialBalance;
  readonly faults: readonly string[];
}

/** Audits a whole store in one scan, and writes the journal. */
export async function auditStore({ journal, onProgress }: AuditOptions): Promise<AuditResult> {
  const books = new AccountBooks();
  const entries = new Entries();
  const events = new Events();
  const reservations = new Reservations();
  const trialBalance = new TrialBalance();
  const usages = new UsageBooks();
  const closings = new ClosingCheck();
  const disputes = new DisputeBooks();
  const deadlines = new DeadlineCheck();
  const readCurrency = currencies();
  const faults: string[] = [];
  const read = { items: 0, overdue: 0 };
  for await (const Items of readWholeStore(faults, read)) {
    for (const item of Items) {
      const [programId = "", ...rest] = String(item.pk).split("#");
      const [partition, sk] = [rest.join("#"), String(item.sk)];
      const entry = entries.parse(item);
      books.add(programId, partition, sk, item, entry);
      for (const check of [usages, closings, deadlines]) check.add(programId, item);
      disputes.add(programId, partition, item, entry);
      const isFirstCopy = entry !== undefined && entries.add({ programId, accountId: partition, entry });
      if (entry) trialBalance.add(programId, partition, entry, isFirstCopy);
      if (isFirstCopy) {
        closings.addEntry(programId, entry);
        reservations.addEntry(programId, entry);
        await journal.entry(programId, await readCurrency(programId), entry);
      }
      if (sk.startsWith("TRANSACTION#")) events.addTransaction(programId, String(item.transId));
      if (sk === "SUSPENSE") trialBalance.addSuspense(programId, item as unknown as SuspenseItem);
      if (sk === "EVENT") events.addEvent(programId, partition, Object(item.result));
      if (sk === "EVENT") reservations.addEvent(programId, item);
    }
    read.items += Items.length;
    onProgress(read.items);
  }
  entries.end();
  events.end();
  faults.push(
    ...entries.faults,
    ...events.faults,
    ...reservations.faults(),
    ...trialBalance.faults(),
    ...closings.faults(),
    ...(await Promise.all([usages, disputes, deadlines].map((check) => check.faults()))).flat(),
  );
  for (const book of books.all()) {
    const { programId, accountId, account, stored } = book;
    faults.push(...checkpointFaults(book));
    try {
      faults.push(...(await proveAccount(book)));
      if (account?.kind === "wallet") faults.push(...(await walletSumFaults(programId, accountId)));
    } catch (error) {
      faults.push(`${programId} ${accountId} cannot be proven: ${(error as Error).message}`);
    }
    if (stored) await journal.stored(programId, accountId, stored.currency, toWhole({ ...book, stored }));
  }
  return { ...read, ...countAll(books, entries, events), trialBalance, faults };
}

function countAll(books: AccountBooks, entries: Entries, events: Events) {
  return { accounts: books.count, entries: entries.count, events: events.count };
}

/** All items, with the entries of months that were moved in their places. */
async function* readWholeStore(faults: string[], read: { overdue: number }): AsyncGenerator<Item[]> {
  const whole = new WholeJournal();
  const at = now();
  const scan = { TableName: environment.issuingTable, ConsistentRead: true };
  for await (const { Items = [] } of paginateScan({ client: table }, scan)) {
    const page: Item[] = [];
    for (const item of Items) {
      if (isOverdue(item, at) && !isMovedMonth(item)) read.overdue += 1;
      try {
        page.push(...(await whole.add(item)));
      } catch (error) {
        faults.push(`${item.pk}: ${(error as Error).message}`);
      }
    }
    yield page;
  }
  yield whole.end();
}

function currencies(): (programId: string) => Promise<Currency> {
  const known = new Map<string, Currency>();
  return async (programId) => {
    const cached = known.get(programId);
    if (cached !== undefined) return cached;
    const program = await readProgram(programId);
    if (!program) throw new Error(`The Program ${programId} of the journal does not exist.`);
    known.set(programId, program.currency);
    return program.currency;
  };
}
