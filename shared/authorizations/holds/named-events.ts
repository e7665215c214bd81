import { TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import { earliestId, idTime } from "../../platform/id.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { readAllItems, toPartitionQuery } from "../../platform/table/query.ts";
import { type Transaction, transactions } from "../../transactions/transaction.ts";
import type { Hold } from "./hold.ts";

/** The transactions that are named, and the one that is found by its time. */
export function namedEvents({ events = [], disputable = [] }: Hold): readonly string[] {
  return [...events, ...disputable];
}

/** How many there are. */
export function countEvents(hold: Hold): number {
  const { version, earlierEvents = 0, namesFirst } = hold;
  return namedEvents(hold).length + earlierEvents + Number(version > 0 && !namesFirst);
}

/** The first transaction is not named if its id is that near to the authorization's time. */
const nearMs = 1_000;

export function isNear(transId: string, { createdAt }: Hold): boolean {
  const apartMs = idTime(transId).getTime() - Date.parse(createdAt);
  return apartMs >= 0 && apartMs < nearMs;
}

/** When the last transaction that is named was, by its id. */
export function lastTime(hold: Hold): number {
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
