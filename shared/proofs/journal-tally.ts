import { createHash } from "node:crypto";
import type { Hold } from "../authorizations/holds/hold.ts";
import { TransactionType } from "../contract/enums.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import { parseEntry } from "../ledger/stored-entry.ts";
import { log } from "../platform/log.ts";
import { pick } from "../platform/pick.ts";
import { fees } from "../transactions/fee.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import {
  type AccountSums,
  noSums,
  withEntry,
  withFee,
  withFunding,
  withTransaction,
} from "./account-sums.ts";
import { type Checkpoint, type NewCheckpoint, toPart } from "./checkpoint.ts";

type Item = Readonly<Record<string, unknown>>;

/** Adds up an account's journal and records, each part in the order of its keys. */
export class JournalTally {
  readonly #accountId: string;
  readonly #parts: Map<string, Checkpoint["parts"][string]>;
  #sums: AccountSums;
  /** By its id, the amount of each that is open. */
  readonly holds = new Map<string, number>();
  /** Those of a Card on Wallets. */
  readonly fundedHolds = new Map<string, number>();
  readonly deposits = new Map<string, number>();
  readonly payouts = new Map<string, number>();
  readonly #pendingCredits = new Map<string, Transaction>();

  /** Continues a checkpoint, whose open records are added apart. */
  constructor(accountId: string, checkpoint?: Checkpoint) {
    this.#accountId = accountId;
    this.#parts = new Map(Object.entries(checkpoint?.parts ?? {}));
    this.#sums = checkpoint ? { ...noSums, ...toSums(checkpoint) } : noSums;
  }

  /** The sort key of the first item to add. */
  begin(part: string): string {
    return this.#parts.get(part)?.before ?? `${part}#`;
  }

  /** Adds the next item of its part. */
  add(item: Item): void {
    const sk = String(item.sk);
    const entry = readEntry(item);
    if (entry) this.#sums = withEntry(this.#sums, this.#accountId, entry);
    const before = this.#parts.get(toPart(sk))?.digest ?? "";
    this.#parts.set(toPart(sk), {
      // No id has a character before the digits.
      before: `${sk}!`,
      digest: entry ? digestEntry(entry, before) : before,
    });
    if (item.entityId === undefined) return;
    if (sk.startsWith("TRANSACTION#")) this.addTransaction(transactions.parse(item));
    if (sk.startsWith("FEE#")) this.#sums = withFee(this.#sums, fees.parse(item));
  }

  /** Adds what an entry of a Wallet moved for the Card. */
  addPaid(entriesMinor: number): void {
    this.#sums = withFunding(this.#sums, { entriesMinor });
  }

  /** Adds a hold that is open: a Wallet's are its Cards', and a Card may have some on Wallets. */
  addHold({ authorizationId, cardId, fundingWalletId }: HoldPlace, amountMinor: number): void {
    if ((fundingWalletId ?? cardId) === this.#accountId) this.holds.set(authorizationId, amountMinor);
    else if (cardId === this.#accountId) this.fundedHolds.set(authorizationId, amountMinor);
  }

  hasHold(authorizationId: string): boolean {
    return this.holds.has(authorizationId) || this.fundedHolds.has(authorizationId);
  }

  /** Adds to the statement. What may leave it again is kept apart. */
  addTransaction(transaction: Transaction): void {
    if (transaction.transType === TransactionType.gpa_credit_pending)
      this.#pendingCredits.set(transaction.transId, transaction);
    else this.#sums = withTransaction(this.#sums, transaction);
  }

  /** All items of a part before this sort key were added. */
  endPart(part: string, before: string): void {
    if (this.begin(part) < before) this.#parts.set(part, { digest: "", ...this.#parts.get(part), before });
  }

  sums(): AccountSums {
    const sums = [...this.#pendingCredits.values()].reduce(withTransaction, this.#sums);
    const openHolds = countedSum(this.fundedHolds);
    const { funding = openHolds.count > 0 ? { recordsMinor: 0, entriesMinor: 0 } : undefined } = sums;
    return {
      ...sums,
      openHolds: countedSum(new Map([...this.holds, ...this.payouts])),
      pendingDeposits: countedSum(this.deposits),
      ...(funding && { funding: { ...funding, openHolds } }),
    };
  }

  /** Keeps all that was added so far. */
  toCheckpoint(begunAt: string): NewCheckpoint {
    return {
      begunAt,
      parts: Object.fromEntries(this.#parts),
      ...toSums(this.#sums),
      authorizationIds: [...this.holds.keys(), ...this.fundedHolds.keys()],
      depositIds: [...this.deposits.keys()],
      ...(this.payouts.size > 0 && { payoutIds: [...this.payouts.keys()] }),
      pendingCredits: [...this.#pendingCredits.keys()],
    };
  }
}

type HoldPlace = Pick<Hold, "authorizationId" | "cardId" | "fundingWalletId">;

type Sums = Omit<AccountSums, "openHolds" | "pendingDeposits">;

function toSums(sums: Sums): Sums {
  return {
    ...pick(sums, "journalEntries", "imbalanceMinor", "balances", "depositsAndCreditsMinor"),
    ...pick(sums, "settledDebitsMinor", "statementMinor"),
    ...(sums.funding && { funding: sums.funding }),
  };
}

function countedSum(amounts: ReadonlyMap<string, number>): AccountSums["openHolds"] {
  return { count: amounts.size, amountMinor: [...amounts.values()].reduce((sum, amount) => sum + amount, 0) };
}

/** @throws Error if the entry is malformed, after a log line that names it */
function readEntry(item: Item): JournalEntry | undefined {
  try {
    return parseEntry(item);
  } catch (error) {
    log.error("The journal entry is malformed.", { key: { pk: item.pk, sk: item.sk }, error });
    throw error;
  }
}

/** A digest of all entries, with the one of those before it as `before`. */
export function digestEntry(entry: JournalEntry, before = ""): string {
  const { entryId, kind, postings, relatedId, createdAt } = entry;
  const lines = postings.map(({ account, amountMinor }) => [account, amountMinor]);
  const text = JSON.stringify([entryId, kind, relatedId, createdAt, lines]);
  return createHash("sha256")
    .update(before + text)
    .digest("base64");
}
