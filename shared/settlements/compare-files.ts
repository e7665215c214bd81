import { type Hold, holds } from "../authorizations/holds/hold.ts";
import { type Currency, numericCurrency } from "../contract/enums.ts";
import { idStart } from "../platform/id.ts";
import { inLanes } from "../platform/in-lanes.ts";
import { readBatch } from "../platform/table/batch.ts";
import type { Key } from "../platform/table/keys.ts";
import { readPages, toPartitionQuery } from "../platform/table/query.ts";
import { transact } from "../platform/table/transact.ts";
import { findTransaction } from "../transactions/find-transaction.ts";
import { isSettlement, isUnsettled, settledUpdate } from "../transactions/settled.ts";
import { type Transaction, transactions } from "../transactions/transaction.ts";
import { references } from "../transactions/transaction-rules.ts";
import { clearingRecords } from "./clearing-record.ts";
import { fileParts, type NetworkRecord, unpack } from "./network-record.ts";
import { isCash, stated } from "./posted.ts";
import { note, type Tally } from "./tally.ts";

interface Day {
  readonly programId: string;
  readonly date: string;
  readonly start: Date;
  readonly end: Date;
}

export interface ReportDay extends Day {
  readonly currency: Currency;
  /** Records that are read at once. */
  readonly pageSize?: number;
}

/** Compares the next part of the day's files with the ledger. False after the last one. */
export async function compareFilePart(day: Day, tally: Tally): Promise<boolean> {
  const [{ pk, sk }] = fileParts.records(day.programId, day.date).partitions;
  const query = toPartitionQuery(pk, { first: tally.after ?? sk, last: `${sk}~` });
  // The first one is the one before.
  for await (const items of readPages({ ...query, Limit: 2 })) {
    const [next] = items.filter(({ sk }) => sk !== tally.after);
    if (!next) continue;
    const part = fileParts.parse(next);
    const key = String(next.sk);
    const split = key.lastIndexOf("#");
    const [source, first] = [key.slice(0, split), key.slice(split + 1)];
    const all = unpack(part);
    const end = Number(first) + all.length;
    // Parts overlap if the file was fed again, and handed over at another record.
    const done = tally.next?.source === source ? tally.next.number - Number(first) : 0;
    const records = all.slice(Math.max(0, done));
    tally.next = { source, number: Math.max(end, Number(first) + done) };
    await compareRecords(day, tally, part.fileId, records);
    const file = tally.files.find(({ fileId }) => fileId === part.fileId);
    if (file) file.records += records.length;
    else tally.files.push({ fileId: part.fileId, records: records.length });
    tally.after = String(next.sk);
    return true;
  }
  return false;
}

async function compareRecords(day: Day, tally: Tally, fileId: string, all: readonly NetworkRecord[]) {
  for (const record of all) {
    if (record.isDoubled)
      note(tally, "doubled", { side: "network", ...toName(fileId, record), ...statedBy(record) });
  }
  const records = await withoutCorrected(
    day.programId,
    all.filter((one) => !one.isDoubled),
  );
  const found = await findSettled(day.programId, records);
  const paidOut = await readHolds(day.programId, [...found.values()].filter(isCash));
  for (const record of records) {
    const transaction = found.get(record.referenceCode);
    if (!transaction) {
      const { reason } = record;
      const missing = { side: "ledger", ...toName(fileId, record), ...statedBy(record) } as const;
      note(tally, "missing", { ...missing, ...(reason !== undefined && { reason }) });
      continue;
    }
    const isOfDay = isWithin(day, transaction);
    if (agrees(record, transaction, paidOut.get(transaction.authorizationId ?? ""))) {
      if (!isOfDay) tally.otherDay += 1;
      continue;
    }
    // The transactions are counted as matched later.
    if (isOfDay) tally.matched -= 1;
    const { transId } = transaction;
    const name = { ...toName(fileId, record), transId };
    const both = { stated: statedBy(record), ledger: stated(transaction) };
    note(tally, "differing", { side: "network", ...name, ...both });
  }
}

function toName(fileId: string, { referenceCode, transId }: NetworkRecord) {
  return { referenceCode, ...(transId !== undefined && { transId }), fileId };
}

function statedBy({ type, amountMinor, currency, interchangeMinor }: NetworkRecord) {
  const common = { type, amount: amountMinor, currency };
  return { ...common, ...(interchangeMinor !== undefined && { interchange: interchangeMinor }) };
}

const isWithin = ({ start, end }: Day, { createdAt }: Transaction) =>
  createdAt >= start.toISOString() && createdAt < end.toISOString();

/** The clearing of a withdrawal names all that is paid out, however many postings that took. */
function agrees(record: NetworkRecord, transaction: Transaction, hold: Hold | undefined): boolean {
  const { interchangeMinor } = record;
  if (record.currency !== numericCurrency[transaction.currency]) return false;
  if (interchangeMinor !== undefined && interchangeMinor !== (transaction.interchangeMinor ?? 0))
    return false;
  if (record.type === transaction.type && record.amountMinor === transaction.amountMinor) return true;
  const isWhole = hold?.withdrawal?.isCleared === true && record.amountMinor === hold.clearedMinor;
  return isWhole && record.type === "DR";
}

/** What was rejected and came again, corrected, is in another file. */
async function withoutCorrected(programId: string, records: readonly NetworkRecord[]) {
  const rejected = records.filter(({ reason }) => reason !== undefined);
  const claims = await readByKey(rejected, ({ referenceCode }) => clearingRecords.at(referenceCode).key);
  return records.filter((record) => {
    const claim = claims.get(record);
    if (record.reason === undefined || !claim) return true;
    const { programId: owner, isRejected } = clearingRecords.parse(claim);
    return owner !== programId || isRejected === true;
  });
}

/** If they agree, what is posted and not settled has the status 3 from now on. */
export async function settleNamed(programId: string, records: readonly NetworkRecord[]): Promise<void> {
  const found = await findSettled(programId, records);
  const paidOut = await readHolds(programId, [...found.values()].filter(isCash));
  const named = records.flatMap((record) => {
    const transaction = found.get(record.referenceCode);
    const hold = paidOut.get(transaction?.authorizationId ?? "");
    return transaction && isUnsettled(transaction) && agrees(record, transaction, hold) ? [transaction] : [];
  });
  // Another file may have settled it meanwhile.
  await inLanes(named, async (transaction) => [await transact([settledUpdate(transaction)])]);
}

/** The settlements that records name: by a reference of their own, or by the `transId`. */
async function findSettled(programId: string, records: readonly NetworkRecord[]) {
  const isOwnCode = ({ referenceCode }: NetworkRecord) => referenceCode.startsWith(idStart("transaction"));
  const named = records.filter((record) => !isOwnCode(record));
  const codes = await readByKey(named, ({ referenceCode }) => references.at(programId, referenceCode).key);
  const keys = [...codes.values()].map((item) => {
    const { cardId, transId } = references.parse(item);
    return transactions.at(programId, cardId, transId).key;
  });
  const own = await inLanes(records.filter(isOwnCode), (record) =>
    findTransaction(programId, record.referenceCode),
  );
  const read = (await readBatch(distinct(keys))).map((item) => transactions.parse(item));
  const settled = [...read, ...own.flatMap((one) => one ?? [])].filter(isSettlement);
  return new Map(settled.map((transaction) => [transaction.referenceCode, transaction]));
}

export async function readHolds(
  programId: string,
  given: readonly Transaction[],
): Promise<Map<string, Hold>> {
  const ids = new Set(given.flatMap(({ authorizationId }) => authorizationId ?? []));
  const items = await readBatch([...ids].map((id) => holds.at(programId, id).key));
  return new Map(items.map((item) => holds.parse(item)).map((hold) => [hold.authorizationId, hold]));
}

/** The items at the keys of values. Values without one are left out. */
export async function readByKey<V>(values: readonly V[], keyOf: (value: V) => Key) {
  const items = await readBatch(distinct(values.map(keyOf)));
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]));
  return new Map(
    values.flatMap((value) => {
      const { pk, sk } = keyOf(value);
      const item = byKey.get(`${pk} ${sk}`);
      return item ? [[value, item] as const] : [];
    }),
  );
}

function distinct(keys: readonly Key[]): Key[] {
  return [...new Map(keys.map((key) => [`${key.pk} ${key.sk}`, key])).values()];
}
