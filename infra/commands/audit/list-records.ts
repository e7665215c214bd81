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

interface StoredAs {
  /** What the sort key begins with, before a `#`. */
  readonly prefix: string;
  /** The attribute with the record's id. */
  readonly id: string;
  /** The sort key is the prefix alone: what goes on behind it points to a record. */
  readonly isWhole?: boolean;
  /** How ids of the list begin, where other records have the same sort key. */
  readonly idStart?: string;
}

const recordsByList: Readonly<Record<string, StoredAs>> = {
  cardholders: { prefix: "CARDHOLDER", id: "entityId" },
  cards: { prefix: "CARD", id: "entityId" },
  wallets: { prefix: "WALLET", id: "walletId" },
  transactions: { prefix: "TRANSACTION", id: "entityId" },
  fees: { prefix: "FEE", id: "entityId" },
  deposits: { prefix: "DEPOSIT", id: "depositId" },
  holds: { prefix: "HOLD", id: "authorizationId" },
  authorizations: { prefix: "HOLD", id: "authorizationId" },
  controls: { prefix: "CONTROL", id: "entityId" },
  suspense: { prefix: "SUSPENSE", id: "depositId" },
  disputes: { prefix: "DISPUTE", id: "entityId" },
  bulks: { prefix: "BULK", id: "entityId" },
  reports: { prefix: "PROGRAM_REPORT", id: "entityId" },
  tokens: { prefix: "TOKEN", id: "tokenId", isWhole: true },
  authentications: { prefix: "AUTHENTICATION", id: "entityId", isWhole: true },
  payouts: { prefix: "PAYMENT", id: "paymentId", isWhole: true, idStart: `${idPrefixes.payout}_` },
  pulls: { prefix: "PAYMENT", id: "paymentId", isWhole: true, idStart: `${idPrefixes.pull}_` },
  microDeposits: {
    prefix: "PAYMENT",
    id: "paymentId",
    isWhole: true,
    idStart: `${idPrefixes.microDeposit}_`,
  },
  externalAccounts: { prefix: "EXTERNAL_ACCOUNT", id: "entityId", isWhole: true },
  accountUpdates: { prefix: "ACCOUNT_UPDATE", id: "entityId" },
};

/** Scans the whole store. */
export async function programRecords(programId: string, kind: ListKind): Promise<Entry[]> {
  const toRecord = recordReader(kind);
  const entries: Entry[] = [];
  for await (const item of scan(table, environment.issuingTable, ofProgram(programId))) {
    const entry = toRecord(item);
    if (entry) entries.push(entry);
  }
  return entries;
}

/** Returns a function that makes the list's entry of an item; undefined for all other items. */
function recordReader(kind: ListKind): (item: StoredRecord) => Entry | undefined {
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
  const stored = recordsByList[kind.name];
  if (!stored) throw new Error(`The records of ${kind.name} have no known sort key.`);
  const { prefix, id, isWhole = false, idStart = "" } = stored;
  return (item) => {
    if ((isWhole ? item.sk : String(item.sk).split("#")[0]) !== prefix) return undefined;
    if (kind === holdList) {
      const outstandingMinor = Number(item.outstandingMinor);
      return outstandingMinor > 0 ? holdListEntry(outstandingMinor) : undefined;
    }
    if (kind === authorizationList) {
      const record = toListed(holds.parse(item));
      return record && toEntry(kind, String(item[id]), record);
    }
    // Pointers have no id, nor do records that lists omit.
    const isListed = item[id] !== undefined && String(item[id]).startsWith(idStart);
    return isListed ? toEntry(kind, String(item[id]), item) : undefined;
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
