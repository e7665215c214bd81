import * as z from "zod";
import { DecidedBy } from "../../contract/authorization-endpoint.ts";
import { EntryMode } from "../../contract/card-network.ts";
import { Currency } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { listChange } from "../../lists/entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { CarriedDeadline, defineDeadline, noDeadline, toStoredDeadline } from "../../platform/deadlines.ts";
import { isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import {
  begunHolds,
  Counted,
  DeclineNote,
  holdList,
  holdListEntry,
  type RecordedCard,
  StoredMerchant,
} from "../../transactions/transaction.ts";
import { presentation } from "../../verification/presentation.ts";

const AmountAt = z.object({
  amountMinor: z.int(),
  /** When it occurred in the network. */
  at: z.string(),
});
type AmountAt = Readonly<z.output<typeof AmountAt>>;

/**
 * What the network has sent of an authorization as totals instead of changes. They count in the
 * order in which they occurred, whenever they come.
 */
export const Totals = z.object({
  /** The last total: what occurred before it is in it. */
  set: AmountAt.optional(),
  /** What later reversals have left. Changes after each are not in it. */
  limits: z.array(AmountAt),
});
export type Totals = Readonly<z.output<typeof Totals>>;

/**
 * Increments, and negative partial reversals, since the last total: one that occurred earlier can
 * still come. In the order of time; also part of what is authorized and released.
 */
export const Changes = z.array(AmountAt);

/** An ATM withdrawal, in its hold: posted, or one that came after its whole reversal. */
export const Withdrawal = z.object({
  transId: z.string(),
  /** What was posted first. */
  amountMinor: z.int(),
  feeId: z.string().optional(),
  feeMinor: z.int().optional(),
  /** A whole reversal reverses the fee too. */
  isFeeReversed: z.boolean().optional(),
  /** The code of the settlement that posted it. */
  referenceCode: z.string().optional(),
  /** Its last 50 postings: what can be disputed or given back. */
  disputable: z.array(z.string()),
  /** Its clearing has come, which has the last word on the amount. */
  isCleared: z.boolean().optional(),
});
export type Withdrawal = Readonly<z.output<typeof Withdrawal>>;

/** What happened to an authorization beside what follows from its amounts. */
const History = z.object({
  /** Its transactions that neither `disputable` names nor their time, nor a later one of these. */
  events: z.array(z.string()).optional(),
  /** How many later ones name. */
  earlierEvents: z.int().optional(),
  /** All are named: none is found by `createdAt`. */
  namesFirst: z.boolean().optional(),
  /** Where they differ from what follows from the amounts of the hold. */
  shown: z
    .object({
      requestedMinor: z.int().optional(),
      authorizedMinor: z.int().optional(),
      releasedMinor: z.int().optional(),
    })
    .optional(),
  /** Milliseconds from the last transaction's id to its time. */
  late: z.int().optional(),
  entryMode: EntryMode.optional(),
  /** How the card was presented. */
  ...presentation,
  decidedBy: DecidedBy.optional(),
  /** Why it was declined as a whole. */
  decline: DeclineNote.optional(),
  /** It is asked about, or was declined, as a withdrawal: no authorization. */
  isCash: z.boolean().optional(),
});

/** An amount that is set aside while the Program's receiver is asked about it. */
const Reservation = z.object({
  /** The event that asks: its record has the question. */
  eventId: z.string(),
  amountMinor: z.int(),
  /** What a withdrawal costs beside the amount: controls do not count it. */
  feeMinor: z.int().optional(),
  /** What is not decided by then is declined. */
  lapsesAt: z.string(),
  /** The controls whose single use or merchant lock it took. */
  usedControls: z.array(z.string()).optional(),
  /** When it occurred, if not with the authorization. */
  at: z.string().optional(),
});
type Reservation = Readonly<z.output<typeof Reservation>>;

/** An authorization and its hold, in minor units. The first of its events to arrive writes it. */
const Hold = z.object({
  programId: z.string(),
  cardId: z.string(),
  cardholderId: z.string(),
  currency: integerEnum(Currency),
  /** The network's reference. */
  authorizationId: z.string(),
  /** The Wallet on which it is placed, instead of the Card's own account. */
  fundingWalletId: z.string().optional(),
  /** Counts the writes; each but `olderChanged` requires that it is the next. */
  version: z.int(),
  /** The authorization was answered, or is asked about: a second one is rejected. */
  decided: z.boolean().optional(),
  /** What is asked about. It is held, and not authorized yet. */
  reservations: z.array(Reservation).readonly().optional(),
  /** The event that authorized or declined it, where the Program has an authorization endpoint. */
  decisionEventId: z.string().optional(),
  /** How many were approved, or asked about. */
  increments: z.int().optional(),
  /** The last ones that were asked about. */
  askedIncrements: z.array(z.string()).optional(),
  /** The authorization, its approved increments and its advices. */
  authorizedMinor: z.int(),
  /** Partial reversals and clearings that are not final; can be more than was authorized. */
  releasedMinor: z.int(),
  /** What finished the authorization. From then on it holds nothing. */
  closedBy: z.enum(["cleared", "reversed", "expired", "declined"]).optional(),
  /** What was settled for it, released or not. */
  clearedMinor: z.int(),
  /** What reversals have refunded of that. */
  refundedMinor: z.int().optional(),
  /** What of these refunds was reversed, and is not refunded any more. */
  undoneMinor: z.int().optional(),
  /** Its last 50 settlements. */
  disputable: z.array(z.string()).optional(),
  /** The sum of what can be given back of those from before. */
  olderMinor: z.int().optional(),
  /** Absent where the network sends changes only. */
  totals: Totals.optional(),
  changes: Changes.readonly().optional(),
  /** What was released of increments that were reversed by themselves. */
  reversedIncrements: z.array(z.object({ eventId: z.string(), amountMinor: z.int() })).optional(),
  /** An ATM withdrawal is posted without a hold: `clearedMinor` is the cash that is paid out. */
  withdrawal: Withdrawal.optional(),
  /** The amount of the hold when it was written: the audit of lists reads it. */
  outstandingMinor: z.int().optional(),
  merchant: StoredMerchant,
  /** What it counts for in the usage of controls, the oldest part first. */
  counted: z.array(Counted).optional(),
  createdAt: z.string(),
  /** The rest is what `history.ts` keeps for those who look at the authorization. */
  ...History.shape,
  /** When it last began to hold an amount, if not at first; its expiry counts from then. */
  heldSince: z.string().optional(),
  /** Its expiry or lapse. */
  ...CarriedDeadline.shape,
});
export type Hold = Readonly<z.output<typeof Hold>>;

/** The amount follows from these in any order of events. */
export type HoldState = Pick<
  Hold,
  "authorizedMinor" | "releasedMinor" | "clearedMinor" | "closedBy" | "reservations" | "totals" | "changes"
>;

export const holds = defineEntity({
  name: "hold",
  schema: Hold,
  key: (programId: string, authorizationId: string) => ({
    pk: `${programId}#HOLD#${authorizationId}`,
    sk: "HOLD",
  }),
});

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

/** `at`: when a reversal occurred. Totals have what is cleared, whenever it is. */
export function decreaseHold<S extends HoldState>(state: S, amountMinor: number, at?: string): S {
  if (at !== undefined) return applyChange(state, -amountMinor, at);
  return { ...state, releasedMinor: state.releasedMinor + amountMinor };
}

/** Keeps the first closure. */
export function closeHold<S extends HoldState>(state: S, closedBy: NonNullable<Hold["closedBy"]>): S {
  return { ...state, closedBy: state.closedBy ?? closedBy };
}

/** Whether the platform declined it, and nothing else has finished it. */
export function isDeclined({ closedBy }: Pick<Hold, "closedBy">): boolean {
  return closedBy === "declined";
}

/** Sets an amount aside until its question is decided. */
export function reserve(hold: Hold, reservation: Reservation): Hold {
  return { ...hold, reservations: [...(hold.reservations ?? []), reservation] };
}

/** Whether nothing but its authorization has come, whose question is open. */
export function isOnlyReserved({ version, reservations }: Hold): boolean {
  return version === 1 && reservations !== undefined;
}

/** Takes the event's reservation away: what is approved of it is authorized next. */
export function withoutReservation(hold: Hold, eventId: string): Hold {
  const left = (hold.reservations ?? []).filter((one) => one.eventId !== eventId);
  return { ...hold, reservations: left.length > 0 ? left : undefined };
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
  const ends = held === 0 && heldBefore > 0;
  const isAsked = (before.reservations ?? after.reservations) !== undefined;
  const change = held - heldBefore;
  const kept = {
    ...after,
    version: before.version + 1,
    outstandingMinor: held,
    ...(begins && timestamp(at) !== after.createdAt && { heldSince: timestamp(at) }),
  };
  const isMoved = begins || ends || isAsked;
  const next = { ...kept, ...(isMoved && { ...noDeadline, ...nextDeadline(kept, at) }) };
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
interface Totalled extends Readonly<Record<"authorizedMinor" | "releasedMinor" | "clearedMinor", number>> {
  readonly totals?: Totals | undefined;
  readonly changes?: readonly AmountAt[] | undefined;
}

/** A hold would grow with each. */
const maximumKept = 20;

/** Adds an increment, or takes a partial reversal, unless a later total has it already. */
function applyChange<S extends Totalled>(state: S, amountMinor: number, at: string): S {
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
  const [first, second, ...others] = changes;
  if (!first || !second || changes.length <= maximumKept) return changes;
  return [{ amountMinor: first.amountMinor + second.amountMinor, at: second.at }, ...others];
}

/**
 * Sets what is authorized, cleared or not, unless a later total is known. Of two at the same time,
 * the higher counts, before reversals at that time. Without a time, it is the last until now.
 */
export function setTotal<S extends Totalled>(state: S, amountMinor: number, time?: string): S {
  const { releasedMinor, clearedMinor, changes = [] } = state;
  const { set, limits } = state.totals ?? { limits: [] };
  const at = time ?? findLastTime(state);
  const isTie = set !== undefined && time !== undefined && set.at === at;
  if (set && (set.at > at || (isTie && set.amountMinor >= amountMinor))) return state;
  const later = time === undefined ? [] : changes.filter((change) => change.at > at);
  return {
    ...state,
    authorizedMinor: amountMinor + releasedMinor - clearedMinor + sumAfter(later, at),
    changes: later.length > 0 ? later : undefined,
    totals: {
      set: { amountMinor, at },
      limits: limits.filter((limit) => limit.at > at || (time !== undefined && limit.at === at)),
    },
  };
}

/** Limits what is authorized, now or when it comes, unless a later total is known. */
export function limitTotal<S extends Totalled>(state: S, amountMinor: number, time?: string): S {
  const { totals, changes = [] } = state;
  const { set, limits } = totals ?? { limits: [] };
  const at = time ?? findLastTime(state);
  if (set && set.at > at) return state;
  const effective = (limit: AmountAt) => limit.amountMinor + sumAfter(changes, limit.at);
  // Without a time, it has all changes until now.
  const limit = { amountMinor: time === undefined ? amountMinor - sumAfter(changes, at) : amountMinor, at };
  const same = limits.find((one) => one.at === at);
  if (same && same.amountMinor <= limit.amountMinor) return state;
  const all = [...limits.filter((one) => one !== same), limit];
  const lowest = all.toSorted((one, other) => effective(one) - effective(other)).slice(0, maximumKept);
  return { ...state, totals: { ...(set && { set }), limits: lowest.toSorted(byTime) } };
}

/** What is left of an amount of which a part was cleared. */
export function withinLimits({ totals, changes = [], clearedMinor }: Totalled, leftMinor: number): number {
  return (totals?.limits ?? []).reduce(
    (left, { amountMinor, at }) => Math.min(left, amountMinor + sumAfter(changes, at) - clearedMinor),
    leftMinor,
  );
}

function sumAfter(changes: readonly AmountAt[], at: string): number {
  return changes.reduce((sum, change) => (change.at > at ? sum + change.amountMinor : sum), 0);
}

function findLastTime({ totals }: Totalled): string {
  return totals?.limits.at(-1)?.at ?? totals?.set?.at ?? "";
}

function byTime(one: AmountAt, other: AmountAt): number {
  if (one.at === other.at) return 0;
  return one.at < other.at ? -1 : 1;
}

/** Ten controls in a hundred periods have as many. A hold is one item of at most 400 KB. */
const mostParts = 1_000;
/** Each may be reversed by itself, which the hold has to know. */
const mostIncrements = 1_000;

/** Whether another increment is declined, so that room is left for what cannot be. */
export function takesNoIncrement({ increments = 0, counted = [] }: Hold): boolean {
  return increments >= mostIncrements || counted.length >= mostParts;
}
