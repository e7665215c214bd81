import { createHash } from "node:crypto";
import type { OpenQuestion } from "../../../shared/authorizations/decisions/decision.ts";
import { isOpen } from "../../../shared/deposits/settle-suspense.ts";
import type { SuspenseItem } from "../../../shared/deposits/suspense.ts";
import { type EntryKind, entryOwnerIds, type JournalEntry } from "../../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../../shared/ledger/postings.ts";
import { parseEntry } from "../../../shared/ledger/stored-entry.ts";
import { getImbalanceMinor } from "../../../shared/proofs/account-sums.ts";

interface FoundEntry {
  readonly programId: string;
  readonly accountId: string;
  readonly entry: JournalEntry;
}

const repeatable: ReadonlySet<EntryKind> = new Set([
  "hold_reserved",
  "card_sweep",
  "deposit_returned",
  "dispute_opened",
  "dispute_changed",
]);

/** Checks that each entry balances, has equal copies with exactly its accounts, and a record. */
export class Entries {
  readonly faults: string[] = [];
  count = 0;
  readonly #incomplete = new Map<string, { readonly digest: string; readonly missing: Set<string> }>();
  readonly #causes = new Set<string>();
  /** By deposit, what came from outside less what went back. */
  readonly #deposited = new Map<string, number>();

  /** Undefined for other items, and for a malformed entry: that is a fault. */
  parse(item: Readonly<Record<string, unknown>>): JournalEntry | undefined {
    try {
      return parseEntry(item);
    } catch {
      this.faults.push(`${item.pk} ${item.sk} is not a journal entry.`);
      return undefined;
    }
  }

  /** Adds a copy. Returns true for the one copy that represents the entry. */
  add({ programId, accountId, entry }: FoundEntry): boolean {
    const touched = entryOwnerIds(entry).toSorted();
    const name = `${programId} ${entry.entryId}`;
    if (!touched.includes(accountId))
      this.faults.push(`${name} is stored with ${accountId}, which it does not change.`);
    this.#compare(name, accountId, touched, digestCopy(entry));
    if (accountId !== touched[0]) return false;
    this.count += 1;
    const imbalance = getImbalanceMinor(entry);
    if (imbalance !== 0) this.faults.push(`${name} sums to ${imbalance} instead of zero.`);
    this.#checkCause(name, programId, entry);
    if (entry.kind.startsWith("deposit_")) this.#addDeposit(programId, entry);
    return true;
  }

  end(): void {
    for (const [name, { missing }] of this.#incomplete) {
      this.faults.push(`${name} is not stored with ${[...missing].join(", ")}, which it changes.`);
    }
    for (const [name, leftMinor] of this.#deposited)
      if (leftMinor < 0) this.faults.push(`${name} was returned with ${-leftMinor} more than it brought.`);
  }

  #addDeposit(programId: string, { relatedId, postings }: JournalEntry): void {
    const name = `${programId} ${relatedId}`;
    for (const { account, amountMinor } of postings)
      if (account.endsWith("_funding"))
        this.#deposited.set(name, (this.#deposited.get(name) ?? 0) - amountMinor);
  }

  /**
   * An authorization has a reservation for each of its questions: `Reservations` counts those. A
   * Card's money goes to a Wallet each time that the Card comes to spend from one. A deposit may be
   * returned in parts, which together are at most the deposit. A dispute may change several times:
   * `DisputeBooks` adds it up.
   */
  #checkCause(name: string, programId: string, { kind, relatedId }: JournalEntry): void {
    if (repeatable.has(kind)) return;
    const cause = `${programId} ${kind} ${relatedId}`;
    if (this.#causes.has(cause)) this.faults.push(`${name} is a second ${kind} of ${relatedId}.`);
    this.#causes.add(cause);
  }

  #compare(name: string, accountId: string, touched: readonly string[], digest: string): void {
    const expected = this.#incomplete.get(name) ?? { digest, missing: new Set(touched) };
    if (expected.digest !== digest)
      this.faults.push(`${name} differs in ${accountId} from its other copies.`);
    expected.missing.delete(accountId);
    if (expected.missing.size === 0) this.#incomplete.delete(name);
    else this.#incomplete.set(name, expected);
  }
}

function digestCopy({ entryId, kind, postings, relatedId, createdAt }: JournalEntry): string {
  const lines = postings.map(({ account, amountMinor }) => [account, amountMinor]);
  const text = JSON.stringify([entryId, kind, relatedId, createdAt, lines]);
  return createHash("sha256").update(text).digest("base64");
}

/** Matches processor events and transactions: each event must have exactly one transaction. */
export class Events {
  readonly faults: string[] = [];
  count = 0;
  readonly #half = new Map<string, "event" | "record">();
  readonly #seen = new Set<string>();

  addEvent(programId: string, eventId: string, result: { readonly transId?: string }): void {
    this.count += 1;
    if (result.transId === undefined) return;
    const name = `${programId} ${result.transId}`;
    if (this.#seen.has(name))
      this.faults.push(
        `${programId} ${eventId} names transaction ${result.transId}, which another event names too.`,
      );
    this.#seen.add(name);
    this.#meet(name, "event");
  }

  addTransaction(programId: string, transId: string): void {
    this.#meet(`${programId} ${transId}`, "record");
  }

  end(): void {
    for (const [name, side] of this.#half) {
      if (side === "event") this.faults.push(`${name} is an event's answer but has no record.`);
    }
  }

  #meet(name: string, side: "event" | "record"): void {
    const met = this.#half.get(name);
    if (met !== undefined && met !== side) this.#half.delete(name);
    else this.#half.set(name, side);
  }
}

interface EventItem {
  readonly question?: Pick<OpenQuestion, "authorizationId">;
  readonly decision?: object;
  readonly result?: { readonly authorizationId?: string };
}

/** An authorization has at most one reservation for each question about it, open or decided. */
export class Reservations {
  readonly #entries = new Map<string, number>();
  readonly #questions = new Map<string, number>();

  addEntry(programId: string, { kind, relatedId }: JournalEntry): void {
    if (kind === "hold_reserved") addOne(this.#entries, `${programId} ${relatedId}`);
  }

  addEvent(programId: string, { question, decision, result }: EventItem): void {
    const { authorizationId } = question ?? (decision && result) ?? {};
    if (authorizationId !== undefined) addOne(this.#questions, `${programId} ${authorizationId}`);
  }

  faults(): string[] {
    return [...this.#entries].flatMap(([name, entries]) => {
      // The result of a withdrawal need not name its hold, which has a single question.
      const questions = this.#questions.get(name) ?? 1;
      return entries > questions ? [`${name} has ${entries} reservations for ${questions} questions.`] : [];
    });
  }
}

function addOne(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

interface Totals {
  /** The sum of all Cards and Wallets, from their own copies of the entries. */
  accountsMinor: number;
  /** The sums of the contra accounts, from each entry once. */
  readonly contraMinor: Map<string, number>;
  suspendedMinor: number;
}

/** Per Program, the totals of Cards and Wallets and of contra accounts must cancel out. */
export class TrialBalance {
  readonly #programs = new Map<string, Totals>();

  /** Adds an account's copy of an entry. Contra accounts count only the first copy. */
  add(programId: string, accountId: string, { postings }: JournalEntry, isFirstCopy: boolean): void {
    const totals = this.#findTotals(programId);
    totals.accountsMinor += balanceChanges(postings).get(accountId)?.ledgerMinor ?? 0;
    if (!isFirstCopy) return;
    for (const { account, amountMinor } of postings) {
      if (account.includes(":")) continue;
      totals.contraMinor.set(account, (totals.contraMinor.get(account) ?? 0) + amountMinor);
    }
  }

  addSuspense(programId: string, item: Pick<SuspenseItem, "status" | "amountMinor">): void {
    if (isOpen(item)) this.#findTotals(programId).suspendedMinor += item.amountMinor;
  }

  faults(): string[] {
    return [...this.#programs].flatMap(([programId, totals]) => {
      const sum = totals.accountsMinor + contraSum(totals);
      const { contraMinor, suspendedMinor } = totals;
      const suspense = contraMinor.get("suspense") ?? 0;
      return [
        ...(sum === 0 ? [] : [`${programId}: accounts and contra accounts differ by ${sum}.`]),
        ...(suspense === suspendedMinor
          ? []
          : [
              `${programId}: the suspense account is ${suspense}, but its open deposits sum to ${suspendedMinor}.`,
            ]),
      ];
    });
  }

  #findTotals(programId: string): Totals {
    const known = this.#programs.get(programId);
    if (known) return known;
    const totals: Totals = { accountsMinor: 0, contraMinor: new Map(), suspendedMinor: 0 };
    this.#programs.set(programId, totals);
    return totals;
  }

  lines(): string[] {
    return [...this.#programs].flatMap(([programId, { accountsMinor, contraMinor }]) => [
      `${programId}  cards and wallets  ${accountsMinor}`,
      ...[...contraMinor].toSorted().map(([account, minor]) => `${programId}  ${account}  ${minor}`),
    ]);
  }
}

function contraSum({ contraMinor }: Totals): number {
  return [...contraMinor.values()].reduce((sum, minor) => sum + minor, 0);
}
