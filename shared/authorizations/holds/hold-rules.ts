import * as z from "zod";
import { listChange } from "../../lists/entry.ts";
import { defineList, type Entry, rides } from "../../lists/kind.ts";
import { timestamp } from "../../platform/clock.ts";
import { defineDeadline, noDeadline, toStoredDeadline } from "../../platform/deadlines.ts";
import { isNew } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { RecordedCard } from "../../transactions/transaction-rules.ts";
import { type AmountAt, type Hold, type HoldState, holdList, holds, type Totals } from "./hold.ts";

export const noHold: HoldState = { authorizedMinor: 0, releasedMinor: 0, clearedMinor: 0 };

/** What is authorized and not released: never negative, 0 once the authorization is finished. */
export function outstandingMinor(state: HoldState): number {
  const { authorizedMinor, releasedMinor, closedBy } = state;
  return closedBy ? 0 : Math.max(0, withinLimits(state, authorizedMinor - releasedMinor));
}

/** The amount of the hold: also what is reserved, as if it were authorized, with fees. */
export function heldMinor(state: HoldState): number {
  const { closedBy, reservations = [] } = state;
  const feesMinor = reservations.reduce((sum, { feeMinor = 0 }) => sum + feeMinor, 0);
  return heldWithoutFeesMinor(state) + (closedBy ? 0 : feesMinor);
}

/** The amount of the hold, and what is reserved, without fees. */
export function heldWithoutFeesMinor(state: HoldState): number {
  const reserved = (state.reservations ?? []).reduce(
    (sum, { amountMinor, at }) => increaseHold(sum, amountMinor, at),
    state,
  );
  return outstandingMinor(reserved);
}

/** `at`: when it occurred. An authorization, which has none, comes before all others. */
export function increaseHold<S extends HoldState>(state: S, amountMinor: number, at?: string): S {
  if (at !== undefined) return applyChange(state, amountMinor, at);
  if (state.totals?.set) return state;
  return { ...state, authorizedMinor: state.authorizedMinor + amountMinor };
}

/** Keeps the first closure. */
export function closeHold<S extends HoldState>(state: S, closedBy: NonNullable<Hold["closedBy"]>): S {
  return { ...state, closedBy: state.closedBy ?? closedBy };
}

export function emptyHold(card: RecordedCard, authorizationId: string, createdAt: string): Hold {
  const { programId, cardId, cardholderId, currency } = card;
  const owner = { programId, cardId, cardholderId, currency };
  return { ...noHold, ...owner, authorizationId, version: 0, merchant: {}, createdAt };
}

/** A hold that the network never resolves expires after this. */
const lifetimeMs = 7 * 86_400_000;

/**
 * Most holds end within days, and an entry in the index of deadlines costs two write units. So a
 * hold gets its own when a walk of its Program's changes finds it open, this long after it began.
 */
export const walkedAfterMs = 4 * 86_400_000;
/** Longer than a transaction takes, and than clocks differ. */
const walkMarginMs = 3_600_000;

export function holdDueAt({ heldSince, createdAt }: Hold): Date {
  return new Date(Date.parse(heldSince ?? createdAt) + lifetimeMs);
}

/**
 * Requires `before` (condition `hold`). The hold carries its deadline while a question is open, or
 * while it is not 0 and no walk will find it. Also writes the sum in the list of transactions.
 */
export function holdWrites(before: Hold, after: Hold, at: Date): WriteAction[] {
  const { programId, authorizationId, cardId } = after;
  const [heldBefore, held] = [heldMinor(before), heldMinor(after)];
  const begins = held > 0 && heldBefore === 0;
  const change = held - heldBefore;
  const kept = {
    ...after,
    version: before.version + 1,
    outstandingMinor: held,
    ...(begins && timestamp(at) !== after.createdAt && { heldSince: timestamp(at) }),
  };
  const next = { ...kept, ...noDeadline, ...nextDeadline(kept, at) };
  const changes = [
    ...(change === 0 ? [] : [listChange({ programId, kind: holdList }, [holdListEntry(change)], cardId)]),
    ...(begins ? [listChange({ programId, kind: begunHolds }, [begunEntry(authorizationId)], cardId)] : []),
  ];
  return [
    {
      ...holds
        .at(programId, authorizationId)
        .put(next, before.version === 0 ? isNew : { version: before.version }),
      alongside: changes,
    },
  ];
}

/** All holds of a Program are one entry of `holdList`, weighted with their minor units. */
export function holdListEntry(weight: number): Entry {
  return { id: "held", createdAt: 0, values: [], weight };
}

/** The holds that began to hold: no list has them, but the rows of changes, until these expire. */
export const begunHolds = defineList({ name: "begun", ...rides });

const begunEntry = (id: string) => ({ id, createdAt: 0, values: [], weight: 1 });

const ofHold = z.object({ authorizationId: z.string() });
export const expiry = defineDeadline("expire_hold", "urgent", ofHold);
/** An authorization was asked about, and not decided. */
export const lapse = defineDeadline("lapse_authorization", "urgent", ofHold);

/** The first reservation's lapse, else the expiry of what is held if no walk is still to come. */
function nextDeadline(hold: Hold, at: Date) {
  const { programId: ownerId, authorizationId, reservations = [] } = hold;
  const [lapsesAt] = reservations.map((one) => one.lapsesAt).toSorted();
  if (lapsesAt === undefined)
    return heldMinor(hold) === 0 || isWalkedLater(hold, at) ? noDeadline : toExpiry(hold);
  const deadlineId = holdDeadlineId(authorizationId);
  return toStoredDeadline(lapse.at({ ownerId, deadlineId, dueAt: new Date(lapsesAt), authorizationId }));
}

export function toExpiry(hold: Hold) {
  const { programId: ownerId, authorizationId } = hold;
  const deadlineId = holdDeadlineId(authorizationId);
  return toStoredDeadline(expiry.at({ ownerId, deadlineId, dueAt: holdDueAt(hold), authorizationId }));
}

function isWalkedLater({ heldSince, createdAt }: Hold, at: Date): boolean {
  return at.getTime() - Date.parse(heldSince ?? createdAt) < walkedAfterMs - walkMarginMs;
}

/** The network chooses its references: the prefix keeps them apart from the platform's own ids. */
export function holdDeadlineId(authorizationId: string): string {
  return `hold:${authorizationId}`;
}

/** What totals and changes are applied to: a part of the hold. */
export interface Totalled
  extends Readonly<Record<"authorizedMinor" | "releasedMinor" | "clearedMinor", number>> {
  readonly totals?: Totals | undefined;
  readonly changes?: readonly AmountAt[] | undefined;
}

/** A hold would grow with each. */
export const maximumKept = 20;

/** Adds an increment, or takes a partial reversal, unless a later total has it already. */
export function applyChange<S extends Totalled>(state: S, amountMinor: number, at: string): S {
  const { totals, changes = [], authorizedMinor, releasedMinor } = state;
  if (amountMinor === 0 || (totals?.set && totals.set.at >= at)) return state;
  return {
    ...state,
    ...(amountMinor > 0
      ? { authorizedMinor: authorizedMinor + amountMinor }
      : { releasedMinor: releasedMinor - amountMinor }),
    changes: upToMaximum([...changes, { amountMinor, at }].toSorted(byTime)),
  };
}

/** Sums the oldest two of too many. Only a total from between them would count one too much. */
function upToMaximum(changes: readonly AmountAt[]): readonly AmountAt[] {
  if (changes.length <= maximumKept) return changes;
  const [first, second, ...others] = changes as readonly [AmountAt, AmountAt, ...AmountAt[]];
  return [{ amountMinor: first.amountMinor + second.amountMinor, at: second.at }, ...others];
}

/** What is left of an amount of which a part was cleared. */
export function withinLimits({ totals, changes = [], clearedMinor }: Totalled, leftMinor: number): number {
  return (totals?.limits ?? []).reduce(
    (left, { amountMinor, at }) => Math.min(left, amountMinor + sumAfter(changes, at) - clearedMinor),
    leftMinor,
  );
}

export function sumAfter(changes: readonly AmountAt[], at: string): number {
  return changes.reduce((sum, change) => (change.at > at ? sum + change.amountMinor : sum), 0);
}

export function byTime(one: AmountAt, other: AmountAt): number {
  if (one.at === other.at) return 0;
  return one.at < other.at ? -1 : 1;
}
