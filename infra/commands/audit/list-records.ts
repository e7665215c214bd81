import * as z from "zod";
import { chooseCountedList } from "../../../shared/authorizations/holds/counted-list.ts";
import { authorizationList, toListed } from "../../../shared/authorizations/holds/history.ts";
import { holdList, holds } from "../../../shared/authorizations/holds/hold.ts";
import { holdListEntry } from "../../../shared/authorizations/holds/hold-rules.ts";
import { idPrefixes } from "../../../shared/contract/identifiers.ts";
import { controls } from "../../../shared/controls/control.ts";
import { accountDepositList, deposits as storedDeposits } from "../../../shared/deposits/deposit.ts";
import { readJournalItems } from "../../../shared/ledger/closed-journal.ts";
import { isWalletId, journalEntries } from "../../../shared/ledger/journal-entry.ts";
import { parseEntry } from "../../../shared/ledger/stored-entry.ts";
import { cardLists, controlLists, walletLists } from "../../../shared/list-kinds.ts";
import {
  type Entry,
  type List,
  type ListKind,
  type StoredRecord,
  toEntry,
} from "../../../shared/lists/kind.ts";
import { notificationList } from "../../../shared/notifications/notification.ts";
import { parseNotification } from "../../../shared/notifications/stored-notification.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { environment } from "../../../shared/platform/environment.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";
import { readBatch } from "../../../shared/platform/table/batch.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { afterAll } from "../../../shared/platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../../../shared/platform/table/query.ts";
import { Counted, transactions } from "../../../shared/transactions/transaction.ts";
import { ofProgram, scan } from "./scan.ts";

/** Where records have their ids. */
const idNames = ["entityId", "walletId", "depositId", "authorizationId", "tokenId", "paymentId"];

/** How the ids of lists begin whose records have the same keys. */
const idStarts: Readonly<Record<string, string>> = {
  payouts: idPrefixes.payout,
  pulls: idPrefixes.pull,
  microDeposits: idPrefixes.microDeposit,
};

/** The id of the list's record; undefined for pointers, records that it omits, and all else. */
function findId(programId: string, kind: ListKind, item: StoredRecord): string | undefined {
  const { name, recordKey } = kind;
  if (!recordKey) throw new Error(`The records of ${name} have no known key.`);
  const start = idStarts[name];
  return idNames
    .flatMap((one) => (item[one] === undefined ? [] : [String(item[one])]))
    .filter((id) => start === undefined || id.startsWith(`${start}_`))
    .find((id) => {
      const { pk, sk } = recordKey({ programId, kind }, id, item);
      return pk === item.pk && sk === item.sk;
    });
}

/** Scans the whole store. */
export async function programRecords(programId: string, kind: ListKind): Promise<Entry[]> {
  const toRecord = recordReader(programId, kind);
  const entries: Entry[] = [];
  for await (const item of scan(table, environment.issuingTable, ofProgram(programId))) {
    const entry = toRecord(item);
    if (entry) entries.push(entry);
  }
  return entries;
}

/** Returns a function that makes the list's entry of an item; undefined for all other items. */
function recordReader(programId: string, kind: ListKind): (item: StoredRecord) => Entry | undefined {
  if (kind === notificationList) {
    return (item) => {
      const notification = parseNotification(item);
      if (!notification) return undefined;
      // Hashed again: the list has the hash as it was committed, so a changed body is found.
      return toEntry(kind, notification.transIdSc, {
        ...notification,
        bodySha256: sha256(notification.body),
      });
    };
  }
  return (item) => {
    const id = findId(programId, kind === holdList ? authorizationList : kind, item);
    if (id === undefined) return undefined;
    if (kind === holdList) {
      const outstandingMinor = Number(item.outstandingMinor);
      return outstandingMinor > 0 ? holdListEntry(outstandingMinor) : undefined;
    }
    const record = kind === authorizationList ? toListed(holds.parse(item)) : item;
    return record && toEntry(kind, id, record);
  };
}

type AccountList = List & { readonly owner: string };

export function accountLists(programId: string, accountIds: readonly string[]): AccountList[] {
  return accountIds.flatMap((owner) => chooseLists(owner).map((kind) => ({ programId, kind, owner })));
}

function chooseLists(ownerId: string): readonly ListKind[] {
  if (ownerId.startsWith(idPrefixes.control)) return controlLists;
  return isWalletId(ownerId) ? walletLists : cardLists;
}

export async function accountRecords(list: AccountList): Promise<Entry[]> {
  const { kind } = list;
  const read = controlLists.includes(kind)
    ? readCounted
    : kind === accountDepositList
      ? readDeposits
      : readStored;
  const records = await read(list);
  return records.map((record) => toEntry(kind, String(record.entityId), record));
}

async function readStored(list: AccountList): Promise<StoredRecord[]> {
  const { recordPrefixes, toRecord } = list.kind;
  if (!recordPrefixes) throw new Error(`The records of ${list.kind.name} are not in one partition.`);
  const records: StoredRecord[] = [];
  for (const prefix of recordPrefixes(list)) {
    for await (const item of readItems(toPartitionQuery(prefix.pk, prefix.sk))) {
      const record = toRecord ? toRecord(item, list) : item;
      if (record) records.push(record);
    }
  }
  return records;
}

/** Finds them by their journal entries in the account: items, or parts of records. */
async function readDeposits({ programId, owner }: AccountList): Promise<StoredRecord[]> {
  const depositIds = new Set<string>();
  for (const prefix of [journalEntries.key(programId, owner, ""), transactions.key(programId, owner, "")]) {
    for await (const item of readJournalItems(prefix.pk, {
      first: prefix.sk,
      last: `${prefix.sk}${afterAll}`,
    })) {
      const entry = parseEntry(item);
      // What a pull has collected is a deposit.
      if (entry && /^(deposit|pull)_/.test(entry.kind)) depositIds.add(entry.relatedId);
    }
  }
  const deposits = await readBatch([...depositIds].map((id) => storedDeposits.key(programId, id)));
  return deposits.map((deposit) => ({ ...deposit, entityId: deposit.depositId }));
}

/** Scans the whole store for holds and transactions that the control has counted. */
async function readCounted(list: AccountList): Promise<StoredRecord[]> {
  const { programId, kind, owner } = list;
  const control = await controls.at(programId, owner).get();
  if (!control || chooseCountedList(control) !== kind) return [];
  const records: StoredRecord[] = [];
  for await (const item of scan(table, environment.issuingTable, ofProgram(programId))) {
    const parts = z.array(Counted).parse(item.counted ?? []);
    records.push(
      ...parts.filter(({ controlId }) => controlId === owner).map((part) => toCountedRecord(item, part)),
    );
  }
  return records;
}

function toCountedRecord({ cardId, authorizationId }: StoredRecord, { transId, at }: Counted): StoredRecord {
  return { entityId: transId, transId, cardId, authorizationId, createdAt: timestamp(new Date(at)) };
}
