import { paginateQuery } from "@aws-sdk/lib-dynamodb";
import { isWalletId } from "../../../shared/domain/ledger/wallet-transaction.ts";
import type { Entry } from "../../../shared/lists/entry.ts";
import { entryOf, kinds, type ListOf, type OwnedKind } from "../../../shared/lists/listed-kind.ts";
import type { StoredRecord } from "../../../shared/lists/listing.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { issuingKey, type Key } from "../../../shared/platform/table/keys.ts";
import { readBatch } from "../../../shared/platform/table/read-batch.ts";

/** The list of one owner: a Wallet's, or a Card's. */
export interface OwnedList extends ListOf {
  readonly kind: OwnedKind;
  readonly owner: string;
}

/** The lists that the accounts of a Program have of their own. */
export function ownedLists(programId: string, accountIds: readonly string[]): OwnedList[] {
  return accountIds.flatMap((owner) =>
    (isWalletId(owner)
      ? (["transfers", "walletTransactions", "accountDeposits"] as const)
      : (["accountDeposits"] as const)
    ).map((kind) => ({ programId, kind, owner })),
  );
}

/** What an owner's list has to hold, read from its records. */
export async function ownedRecords(list: OwnedList): Promise<Entry[]> {
  const { partitionOf } = kinds[list.kind];
  const records = partitionOf ? await recordsUnder(list, partitionOf(list)) : await depositsOf(list);
  return records.map((record) => entryOf(list.kind, String(record.entityId), record));
}

async function recordsUnder(list: OwnedList, key: Key): Promise<StoredRecord[]> {
  const { recordOf } = kinds[list.kind];
  const records: StoredRecord[] = [];
  for await (const item of itemsUnder(key)) {
    const record = recordOf ? recordOf(list, item) : item;
    if (record) records.push(record);
  }
  return records;
}

/** Deposits are found by the journal entries that they left with their account. */
async function depositsOf({ programId, owner }: OwnedList): Promise<StoredRecord[]> {
  const depositIds = new Set<string>();
  for await (const { kind, relatedId } of itemsUnder(issuingKey.entry(programId, owner, ""))) {
    if (String(kind).startsWith("deposit_")) depositIds.add(String(relatedId));
  }
  const found = await readBatch([...depositIds].map((depositId) => issuingKey.deposit(programId, depositId)));
  return found.map((deposit) => ({ ...deposit, entityId: deposit.depositId }));
}

async function* itemsUnder({ pk, sk }: Key): AsyncGenerator<StoredRecord> {
  const query = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    KeyConditionExpression: "pk = :partition AND begins_with(sk, :prefix)",
    ExpressionAttributeValues: { ":partition": pk, ":prefix": sk },
  };
  for await (const { Items = [] } of paginateQuery({ client: table }, query)) yield* Items;
}
