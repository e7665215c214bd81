import { TransactionStatus, TransactionType } from "../../shared/contract/enums.ts";
import type { IdKind } from "../../shared/contract/identifiers.ts";
import { depositCleared } from "../../shared/deposits/deposit.ts";
import { type Account, accountAt } from "../../shared/ledger/account.ts";
import { journalEntry, withEntry } from "../../shared/ledger/journal-entry.ts";
import { creditSettled, debitSettled } from "../../shared/ledger/movements.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { earliestId, newId, ulidTimeLength, withoutPrefix } from "../../shared/platform/id.ts";
import { writeBatch } from "../../shared/platform/table/batch.ts";
import { exists } from "../../shared/platform/table/condition.ts";
import type { Key } from "../../shared/platform/table/keys.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { transactionPut } from "../../shared/transactions/transaction-rules.ts";

export interface History {
  readonly programId: string;
  readonly account: Account;
  readonly count: number;
  /** When the first was committed. The others followed, one in a millisecond. */
  readonly since: Date;
  readonly memo?: string;
}

/** Entries with their records, the account's balances and its count; of lists, only a Wallet's. */
export async function givenHistory({ programId, account, count, since, memo }: History): Promise<void> {
  const made = Array.from({ length: count }, (_, index) => {
    const at = new Date(since.getTime() + index);
    const amountMinor = 1 + (index % 7);
    return account.kind === "card"
      ? settlement(programId, account.accountId, at, index % 3 === 2 ? -amountMinor : amountMinor)
      : deposit(programId, account.accountId, at, amountMinor);
  });
  const items = made
    .flatMap(({ writes }) => writes)
    .flatMap((write) => [write, ...(account.kind === "wallet" ? (write.alongside ?? []) : [])])
    .flatMap((write) => ("Put" in write ? write.Put.Item : []));
  await writeBatch(items.map((item) => ({ put: { ...item, ...(memo && { memo }) } as unknown as Key })));
  const balanceMinor = made.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  await countEntries({ programId, account, count, balanceMinor });
}

export async function countEntries(change: {
  readonly programId: string;
  readonly account: Account;
  readonly count: number;
  readonly balanceMinor: number;
}): Promise<void> {
  const { programId, account, count, balanceMinor } = change;
  const increase = { availableMinor: balanceMinor, ledgerMinor: balanceMinor };
  await transact([accountAt(programId, account).update({ increase, add: { entries: count } }, exists)]);
}

/** The writes of a commit, which may arrive late. */
export interface Made {
  readonly writes: readonly WriteAction[];
  readonly amountMinor: number;
}

/** A refund, or a clearing where the amount is negative. */
export function settlement(programId: string, cardId: string, at: Date, amountMinor: number): Made {
  const transId = idAt("transaction", at);
  const isDebit = amountMinor < 0;
  const amount = Math.abs(amountMinor);
  const entry = journalEntry(
    isDebit ? "clearing" : "refund",
    transId,
    isDebit ? debitSettled(cardId, amount) : creditSettled(cardId, amount),
    at,
  );
  const record = transactionPut({
    programId,
    cardId,
    transId,
    cardholderId: "chd_1",
    currency: 0,
    transType: isDebit ? TransactionType.authorization_clearing : TransactionType.refund,
    transStatus: TransactionStatus.completion,
    type: isDebit ? "DR" : "CR",
    amountMinor: amount,
    referenceCode: transId,
    description: "Purchase",
    transDate: timestamp(at),
    createdAt: timestamp(at),
  });
  const writes = withEntry(programId, { ...entry, entryId: idAt("journalEntry", at) }, [record]);
  return { writes, amountMinor };
}

function deposit(programId: string, walletId: string, at: Date, amountMinor: number): Made {
  const postings = depositCleared(walletId, "bank_funding", amountMinor);
  const entry = journalEntry("deposit_cleared", idAt("deposit", at), postings, at);
  return { writes: withEntry(programId, { ...entry, entryId: idAt("journalEntry", at) }, []), amountMinor };
}

function idAt(kind: IdKind, at: Date): string {
  return earliestId(kind, at) + withoutPrefix(newId(kind)).slice(ulidTimeLength);
}
