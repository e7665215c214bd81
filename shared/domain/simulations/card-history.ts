import { isDeepStrictEqual } from "node:util";
import { earliestId } from "../../platform/id.ts";
import { readBatch } from "../../platform/table/batch.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import { readItems, toPartitionQuery } from "../../platform/table/query.ts";
import { type Card, cards } from "../cards/card.ts";
import { holds } from "../holds/hold.ts";
import { type Movement, type StoredMovement, toMovement } from "./movement.ts";
import { rewindHold } from "./rewind-hold.ts";
import type { CardStart } from "./simulated-card.ts";

export interface CardHistory {
  readonly start: CardStart;
  /** In order. */
  readonly movements: readonly Movement[];
}

export class TooManyRecordsError extends Error {}

export interface HistorySpan {
  readonly from: Date;
  readonly until: Date;
  /** Asked before each record. */
  readonly mayRead: () => boolean;
}

/**
 * A Card as it was at `from`, and what happened to it until `until`.
 * @throws TooManyRecordsError
 */
export async function readHistory(
  programId: string,
  cardId: string,
  { from, until, mayRead }: HistorySpan,
): Promise<CardHistory | undefined> {
  const read = await readStable(programId, cardId, { from, mayRead });
  if (!read) return undefined;
  const { card, found } = read;
  const all = found.filter(({ movement }) => movement.atMs >= from.getTime());
  const changeMinor = all.reduce((sum, { movement }) => sum + movement.availableMinor, 0);
  const movements = all.map(({ movement }) => movement).filter(({ atMs }) => atMs < until.getTime());
  return {
    start: {
      cardId,
      cardholderId: card.cardholderId,
      currency: card.currency,
      availableMinor: card.availableMinor - changeMinor,
      holds: await readEarlierHolds(programId, all, from),
    },
    movements,
  };
}

export function compareMovements(left: Movement, right: Movement): number {
  return left.atMs - right.atMs || (left.ulid < right.ulid ? -1 : 1);
}

const maximumReads = 5;

/** A Card with the records that led to its balances: read again if it changed meanwhile. */
async function readStable(programId: string, cardId: string, span: Omit<HistorySpan, "until">) {
  let card = await cards.at(programId, cardId).get();
  for (let read = 1; card; read += 1) {
    const found = await readMovements(programId, cardId, span);
    const after = await cards.at(programId, cardId).get();
    if (isDeepStrictEqual(balancesOf(card), balancesOf(after)) || read === maximumReads)
      return { card, found };
    card = after;
  }
  return undefined;
}

const balancesOf = (card: Card | undefined) =>
  card && [card.availableMinor, card.heldMinor, card.pendingDepositMinor, card.ledgerMinor];

const recordKinds = [
  ["TRANSACTION", "transaction"],
  ["FEE", "fee"],
  ["ENTRY", "journalEntry"],
  ["REFUSED", "event"],
] as const;

async function readMovements(
  programId: string,
  cardId: string,
  { from, mayRead }: Omit<HistorySpan, "until">,
): Promise<StoredMovement[]> {
  const { pk } = issuingKey.card(programId, cardId);
  const found: StoredMovement[] = [];
  const read = async ([prefix, kind]: (typeof recordKinds)[number]) => {
    const keys = { first: `${prefix}#${earliestId(kind, from)}`, last: `${prefix}#~` };
    for await (const item of readItems(toPartitionQuery(pk, keys))) {
      if (!mayRead()) throw new TooManyRecordsError();
      const stored = toMovement(programId, cardId, item);
      if (stored) found.push(stored);
    }
  };
  await Promise.all(recordKinds.map(read));
  return found.sort((left, right) => compareMovements(left.movement, right.movement));
}

/** The holds that began earlier and changed since, as they were then. */
async function readEarlierHolds(programId: string, found: readonly StoredMovement[], from: Date) {
  const ids = found.flatMap(({ movement: { event } }) => (event && authorizationIdOf(event)) ?? []);
  const stored = await readBatch([...new Set(ids)].map((id) => holds.at(programId, id).key));
  const earlier = stored
    .map((item) => holds.parse(item))
    .filter(({ createdAt }) => Date.parse(createdAt) < from.getTime());
  if (earlier.length === 0) return [];
  const changes = found.flatMap(({ change }) => change ?? []);
  const byId = Map.groupBy(changes, ({ authorizationId }) => authorizationId);
  return earlier.map((hold) => rewindHold(hold, byId.get(hold.authorizationId) ?? [], from));
}

function authorizationIdOf(event: object): string | undefined {
  return "authorizationId" in event ? (event.authorizationId as string | undefined) : undefined;
}
