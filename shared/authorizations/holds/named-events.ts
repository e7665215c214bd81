import { TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { earliestId, idTime } from "../../platform/id.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { readAllItems, toPartitionQuery } from "../../platform/table/query.ts";
import { type Transaction, transactions } from "../../transactions/transaction.ts";
import type { Hold } from "./hold.ts";

/** A hold grows with each that it names. */
const keptEvents = 24;

/** The transactions that are named, and the one that is found by its time. */
function namedEvents({ events = [], disputable = [] }: Hold): readonly string[] {
  return [...events, ...disputable];
}

/** How many there are. */
export function countEvents(hold: Hold): number {
  const { version, earlierEvents = 0, namesFirst } = hold;
  return namedEvents(hold).length + earlierEvents + Number(version > 0 && !namesFirst);
}

/** The first transaction is not named if its id is that near to the authorization's time. */
const nearMs = 1_000;

function isNear(transId: string, { createdAt }: Hold): boolean {
  const apartMs = idTime(transId).getTime() - Date.parse(createdAt);
  return apartMs >= 0 && apartMs < nearMs;
}

interface Named {
  readonly hold: Hold;
  /** What the transaction names from now on, in place of the hold. */
  readonly dropped?: readonly string[];
}

/** The hold after the transaction, with the names of all. */
export function nameEvent(before: Hold, after: Hold, transaction: Transaction | undefined): Named {
  const isFirst = countEvents(before) === 0;
  if (!transaction) return { hold: isFirst ? { ...after, namesFirst: true } : after };
  const { transId, createdAt } = transaction;
  const { disputable = [], earlierEvents = 0 } = after;
  const isFound = isFirst && !disputable.includes(transId) && isNear(transId, after);
  const names = new Set(isFound ? [] : [...namedEvents(before), transId]);
  const events = [...names].filter((id) => !disputable.includes(id));
  const dropped = events.length > keptEvents ? events.filter((id) => id !== transId) : [];
  const kept = events.slice(dropped.length);
  const hold = {
    ...after,
    ...(isFirst && { namesFirst: isFound ? undefined : true }),
    events: kept.length > 0 ? kept : undefined,
    ...(dropped.length > 0 && { earlierEvents: earlierEvents + dropped.length }),
  };
  const late = Date.parse(createdAt) - lastTime(hold);
  return { hold: { ...hold, late: late === 0 ? undefined : late }, ...(dropped.length > 0 && { dropped }) };
}

/** When the last transaction that is named was, by its id. */
function lastTime(hold: Hold): number {
  const last = namedEvents(hold).toSorted().at(-1);
  return last === undefined ? Date.parse(hold.createdAt) : idTime(last).getTime();
}

/** When the last event was. */
export function changedAt(hold: Hold): string {
  return timestamp(new Date(lastTime(hold) + (hold.late ?? 0)));
}

/** The transactions of an authorization, oldest first: the newest so many, or a few more. */
export async function readEvents(hold: Hold, newest = Number.POSITIVE_INFINITY): Promise<Transaction[]> {
  const { programId, cardId } = hold;
  const read = new Map<string, Transaction>();
  const first = hold.namesFirst ? [] : readNear(hold);
  let names = namedEvents(hold);
  // A settlement may be older than what names it.
  const count = () =>
    [...read.values()].filter(({ transType }) => transType !== TransactionType.authorization_clearing).length;
  while (names.length > 0 && count() < newest) {
    const items = await readBatch(names.map((id) => transactions.key(programId, cardId, id)));
    const found = items.map((item) => transactions.parse(item));
    for (const one of found) read.set(one.transId, one);
    names = found.flatMap(({ earlierEvents = [] }) => earlierEvents);
  }
  for (const one of await first) read.set(one.transId, one);
  return [...read.values()].toSorted((one, other) => (toOrder(one) < toOrder(other) ? -1 : 1));
}

/** Those from the moment in which it began. */
async function readNear({ programId, cardId, authorizationId, createdAt }: Hold): Promise<Transaction[]> {
  const begun = new Date(createdAt);
  const keyAt = (at: Date) => transactions.key(programId, cardId, earliestId("transaction", at));
  const { pk, sk } = keyAt(begun);
  const last = keyAt(new Date(begun.getTime() + nearMs)).sk;
  const items = await readAllItems(toPartitionQuery(pk, { first: sk, last }));
  return items
    .map((item) => transactions.parse(item))
    .filter((one) => (one.authorizationId ?? one.gaveBack?.authorizationId) === authorizationId);
}

function toOrder({ createdAt, transId }: Transaction): string {
  return `${createdAt} ${transId}`;
}
