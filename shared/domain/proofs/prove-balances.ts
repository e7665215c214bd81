import type { BalanceProof } from "../../contract/balances.ts";
import { timestamp } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { readPages, toPartitionQuery } from "../../platform/table/query.ts";
import { Conflict, ContendedError, repeat } from "../../platform/table/retry.ts";
import { type Deposit, deposits } from "../deposits/deposit.ts";
import { type Hold, holds, outstandingMinor } from "../holds/hold.ts";
import { type Account, accountAt, type StoredAccount } from "../ledger/account.ts";
import { type JournalEntry, parseEntry } from "../ledger/journal-entry.ts";
import { readAccount } from "../ledger/shards.ts";
import { fees } from "../transactions/fee.ts";
import { transactions } from "../transactions/transaction.ts";
import {
  type AccountSums,
  noSums,
  toBalanceProof,
  withDeposit,
  withEntry,
  withFee,
  withHold,
  withTransaction,
} from "./account-sums.ts";

/**
 * Compares journal, records, open holds and pending deposits with the stored balances. Reads again
 * if the account changed meanwhile, and once more after a failed proof.
 * @throws ApiError NOT_FOUND
 * @throws ContendedError if the account changed during every reading until the time was up
 */
export async function proveBalances(programId: string, account: Account): Promise<BalanceProof> {
  let failed: BalanceProof | undefined;
  const { result } = await repeat<BalanceProof>(
    async () => {
      const before = await storedAccount(programId, account);
      const sums = await addUp(programId, account);
      const after = await storedAccount(programId, account);
      if (hasChanged(before, after)) return new Conflict("account");
      const proof = toBalanceProof(sums, after, account.kind === "card", timestamp());
      if (proof.proven || failed) return proof;
      failed = proof;
      return new Conflict("account");
    },
    { firstAtOnce: true },
  );
  if (!(result instanceof Conflict)) return result;
  if (failed) return failed;
  throw new ContendedError(result.names);
}

async function storedAccount(programId: string, account: Account): Promise<StoredAccount> {
  const stored = await readAccount(programId, account);
  if (!stored) throw new ApiError("NOT_FOUND");
  return stored;
}

const balances = ["availableMinor", "heldMinor", "pendingDepositMinor", "ledgerMinor"] as const;

function hasChanged(before: StoredAccount, after: StoredAccount): boolean {
  return balances.some((balance) => before[balance] !== after[balance]);
}

type Item = Readonly<Record<string, unknown>>;

async function addUp(programId: string, account: Account): Promise<AccountSums> {
  const counted = new Set<string>();
  let sums = noSums;
  for await (const items of readPages(toPartitionQuery(accountAt(programId, account).key.pk))) {
    for (const item of items) sums = withRecord(sums, account.accountId, item);
    for (const deposit of await readDeposits(programId, items)) sums = withDeposit(sums, deposit);
    for (const hold of await readHolds(programId, items)) {
      if (outstandingMinor(hold) === 0 || counted.has(hold.authorizationId)) continue;
      counted.add(hold.authorizationId);
      sums = withHold(sums, hold);
    }
  }
  return sums;
}

function withRecord(before: AccountSums, accountId: string, item: Item): AccountSums {
  const sk = String(item.sk);
  const entry = parseEntry(item);
  const sums = entry ? withEntry(before, accountId, entry) : before;
  if (item.entityId === undefined) return sums;
  if (sk.startsWith("TRANSACTION#")) return withTransaction(sums, transactions.parse(item));
  if (sk.startsWith("FEE#")) return withFee(sums, fees.parse(item));
  return sums;
}

const isDepositPending = ({ kind }: JournalEntry) => kind === "deposit_pending";

/** The deposits that entries of the page announced, as they are now. */
async function readDeposits(programId: string, items: readonly Item[]): Promise<Deposit[]> {
  const announced = items.flatMap((item) => parseEntry(item) ?? []).filter(isDepositPending);
  const found = await readBatch(announced.map(({ relatedId }) => deposits.at(programId, relatedId).key));
  return found.map((item) => deposits.parse(item));
}

/** The holds of the authorizations that transactions of the page belong to, as they are now. */
async function readHolds(programId: string, items: readonly Item[]): Promise<Hold[]> {
  const references = new Set(items.flatMap(({ authorizationId }) => authorizationId ?? []).map(String));
  const found = await readBatch([...references].map((reference) => holds.at(programId, reference).key));
  return found.map((item) => holds.parse(item));
}
