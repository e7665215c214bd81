import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import type { BalanceProof } from "../../contract/balances.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { ContendedError } from "../../platform/table/retry.ts";
import type { Deposit } from "../deposits/deposit.ts";
import { type Hold, outstandingMinor, toHold } from "../holds/hold.ts";
import { type Account, accountKey, readAccount, type StoredAccount } from "../ledger/account.ts";
import type { JournalEntry } from "../ledger/journal-entry.ts";
import type { Fee } from "../transactions/fee.ts";
import type { Transaction } from "../transactions/transaction.ts";
import {
  type AccountSums,
  noSums,
  withDeposit,
  withEntry,
  withFee,
  withHold,
  withTransaction,
} from "./account-sums.ts";
import { toBalanceProof } from "./identities.ts";

/** An account that moves while it is read is read again. */
const maximumReadings = 6;

/**
 * Adds up journal, records, open holds and pending deposits page by page, and compares them with each other
 * and the stored balances. A failed proof is read once more.
 * @throws ApiError NOT_FOUND
 * @throws ContendedError if the account moved during every reading
 */
export async function proveBalances(programId: string, account: Account): Promise<BalanceProof> {
  let failed: BalanceProof | undefined;
  for (let reading = 1; reading <= maximumReadings; reading += 1) {
    const before = await storedAccount(programId, account);
    const sums = await addUp(programId, account);
    const after = await storedAccount(programId, account);
    if (moved(before, after)) continue;
    const proof = toBalanceProof(sums, after, account.kind === "card", timestamp());
    if (proof.proven || failed) return proof;
    failed = proof;
  }
  if (failed) return failed;
  throw new ContendedError(["account"]);
}

async function storedAccount(programId: string, account: Account): Promise<StoredAccount> {
  const stored = await readAccount(programId, account);
  if (!stored) throw new ApiError("NOT_FOUND");
  return stored;
}

const balances = ["availableMinor", "heldMinor", "pendingDepositMinor", "ledgerMinor"] as const;

function moved(before: StoredAccount, after: StoredAccount): boolean {
  return balances.some((balance) => before[balance] !== after[balance]);
}

async function addUp(programId: string, account: Account): Promise<AccountSums> {
  const counted = new Set<string>();
  let sums = noSums;
  const query = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :partition",
    ExpressionAttributeValues: { ":partition": accountKey(programId, account).pk },
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) {
    for (const item of Items) sums = withRecord(sums, account.accountId, item);
    for (const deposit of await depositsOf(programId, Items)) sums = withDeposit(sums, deposit);
    for (const hold of await holdsOf(programId, Items)) {
      if (outstandingMinor(hold) === 0 || counted.has(hold.authorizationId)) continue;
      counted.add(hold.authorizationId);
      sums = withHold(sums, hold);
    }
  }
  return sums;
}

type Item = Record<string, unknown>;

function withRecord(sums: AccountSums, accountId: string, item: Item): AccountSums {
  const sk = String(item.sk);
  if (sk.startsWith("ENTRY#")) return withEntry(sums, accountId, item as unknown as JournalEntry);
  if (item.entityId === undefined) return sums;
  if (sk.startsWith("TRANSACTION#")) return withTransaction(sums, item as unknown as Transaction);
  if (sk.startsWith("FEE#")) return withFee(sums, item as unknown as Fee);
  return sums;
}

/** The deposits that entries of the page announced, as they are now. */
async function depositsOf(programId: string, items: readonly Item[]): Promise<Deposit[]> {
  const announced = items.filter(
    ({ sk, kind }) => String(sk).startsWith("ENTRY#") && kind === "deposit_pending",
  );
  const keys = announced.map(({ relatedId }) => issuingKey.deposit(programId, String(relatedId)));
  return (await readBatch(keys)) as unknown as Deposit[];
}

/** The holds of the authorizations that transactions of the page belong to, as they are now. */
async function holdsOf(programId: string, items: readonly Item[]): Promise<Hold[]> {
  const references = new Set(
    items
      .filter(({ authorizationId }) => authorizationId !== undefined)
      .map((item) => String(item.authorizationId)),
  );
  const found = await readBatch([...references].map((reference) => issuingKey.hold(programId, reference)));
  return found.flatMap((item) => toHold(item) ?? []);
}
