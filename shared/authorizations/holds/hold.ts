import * as z from "zod";
import { Currency } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { Counted } from "../../controls/counted-part.ts";
import { listChange } from "../../lists/change.ts";
import type { Entry, ListKind } from "../../lists/entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { CarriedDeadline, noDeadline, toStoredDeadline } from "../../platform/deadlines.ts";
import { isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { RecordedCard } from "../../transactions/transaction.ts";
import { applyChange, Changes, Totals, withinLimits } from "./totals.ts";
import { Withdrawal } from "./withdrawal.ts";

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
export type Reservation = Readonly<z.output<typeof Reservation>>;

/** An authorization and its hold, in minor units. The first of its events to arrive writes it. */
const Hold = z.object({
  programId: z.string(),
  cardId: z.string(),
  cardholderId: z.string(),
  currency: integerEnum(Currency),
  /** The network's reference. */
  authorizationId: z.string(),
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
  merchant: z.object({
    merchantName: z.string().optional(),
    mcc: z.string().optional(),
    merchantId: z.string().optional(),
    merchantCity: z.string().optional(),
    merchantCountry: z.string().optional(),
    srcAmount: z.int().optional(),
    srcCurrency: z.string().optional(),
  }),
  /** What it counts for in the usage of controls, the oldest part first. */
  counted: z.array(Counted).optional(),
  createdAt: z.string(),
  /** When it last began to hold an amount; its expiry counts from then. */
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

function heldWithoutFeesMinor(state: HoldState): number {
  const reserved = (state.reservations ?? []).reduce(
    (sum, { amountMinor, at }) => increaseHold(sum, amountMinor, at),
    state,
  );
  return outstandingMinor(reserved);
}

/** What an authorization counts for in the usage of controls: its hold and its settlements. */
export function countedMinor(hold: Hold): number {
  return heldWithoutFeesMinor(hold) + hold.clearedMinor;
}

/** An authorization of which nothing is left does not count as one either. */
export function partsThatCount(parts: readonly Counted[], countedMinor: number): Counted[] {
  return parts.map((part) => (countedMinor > 0 ? part : { ...part, count: 0 }));
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

export function holdDueAt({ heldSince, createdAt }: Hold): Date {
  return new Date(Date.parse(heldSince ?? createdAt) + lifetimeMs);
}

/**
 * Requires `before` (condition `hold`). The hold carries its deadline while it is not 0, or while a
 * question is open. Also writes the sum in the list of transactions.
 */
export function holdWrites(before: Hold, after: Hold, at: Date): WriteAction[] {
  const { programId, authorizationId } = after;
  const [heldBefore, held] = [heldMinor(before), heldMinor(after)];
  const begins = held > 0 && heldBefore === 0;
  const ends = held === 0 && heldBefore > 0;
  const isAsked = (before.reservations ?? after.reservations) !== undefined;
  const change = held - heldBefore;
  const list = { programId, kind: holdList };
  const kept = {
    ...after,
    version: before.version + 1,
    outstandingMinor: held,
    ...(begins && { heldSince: timestamp(at) }),
  };
  const next = { ...kept, ...((begins || ends || isAsked) && { ...noDeadline, ...deadlineOf(kept) }) };
  return [
    {
      ...holds
        .at(programId, authorizationId)
        .put(next, before.version === 0 ? isNew : { version: before.version }),
      ...(change !== 0 && { alongside: [listChange(list, [holdListEntry(change)])] }),
    },
  ];
}

/** The first reservation's lapse, else the expiry of what is held. */
function deadlineOf(hold: Hold) {
  const { programId: ownerId, authorizationId, reservations = [] } = hold;
  const common = { ownerId, deadlineId: holdDeadlineId(authorizationId), authorizationId };
  const [lapsesAt] = reservations.map((one) => one.lapsesAt).toSorted();
  if (lapsesAt !== undefined)
    return toStoredDeadline({ ...common, kind: "lapse_authorization", dueAt: new Date(lapsesAt) });
  if (heldMinor(hold) === 0) return noDeadline;
  return toStoredDeadline({ ...common, kind: "expire_hold", dueAt: holdDueAt(hold) });
}

/** The network chooses its references: the prefix keeps them apart from the platform's own ids. */
export function holdDeadlineId(authorizationId: string): string {
  return `hold:${authorizationId}`;
}

/** No endpoint shows this list: its total is the sum of a Program's open holds. */
export const holdList: ListKind = {
  name: "holds",
  filters: [],
  orders: [],
  shards: 16,
  hasSingleEntry: true,
};

/** All holds of a Program are one entry, weighted with their minor units. */
export function holdListEntry(weight: number): Entry {
  return { id: "held", createdAt: 0, values: [], weight };
}
