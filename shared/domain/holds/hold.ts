import * as z from "zod";
import { Currency } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { listChange } from "../../lists/change.ts";
import type { Entry, ListKind } from "../../lists/entry.ts";
import { timestamp } from "../../platform/clock.ts";
import { CarriedDeadline, deadlineDelete, noDeadline, toStoredDeadline } from "../../platform/deadlines.ts";
import { isNew } from "../../platform/table/condition.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { Counted } from "../controls/usage.ts";
import type { RecordedCard } from "../transactions/transaction.ts";

/** An authorization and its hold, in minor units. The first of its events to arrive writes it. */
const Hold = z.object({
  programId: z.string(),
  cardId: z.string(),
  cardholderId: z.string(),
  currency: integerEnum(Currency),
  /** The network's reference. */
  authorizationId: z.string(),
  /** Counts the writes; each requires that it is the next. */
  version: z.int(),
  /** The authorization was answered: a second one with the reference is rejected. */
  decided: z.boolean().optional(),
  /** The authorization, its approved increments and its advices. */
  authorizedMinor: z.int(),
  /** Partial reversals and clearings that are not final; can be more than was authorized. */
  releasedMinor: z.int(),
  /** What finished the authorization. From then on it holds nothing. */
  closedBy: z.enum(["cleared", "reversed", "expired", "declined"]).optional(),
  /** What was settled for it, released or not. */
  clearedMinor: z.int(),
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
  /** Its expiry, while it holds an amount. A hold of the version before has a deadline apart. */
  ...CarriedDeadline.shape,
});
export type Hold = Readonly<z.output<typeof Hold>>;

/** The amount follows from these in any order of events. */
export type HoldState = Pick<Hold, "authorizedMinor" | "releasedMinor" | "closedBy">;

export const holds = defineEntity({ name: "hold", table: "issuing", schema: Hold, key: issuingKey.hold });

export const noHold: HoldState = { authorizedMinor: 0, releasedMinor: 0 };

/** The amount of the hold: never negative, 0 once the authorization is finished. */
export function outstandingMinor({ authorizedMinor, releasedMinor, closedBy }: HoldState): number {
  return closedBy ? 0 : Math.max(0, authorizedMinor - releasedMinor);
}

/** What an authorization counts for in the usage of controls: its hold and its settlements. */
export function countedMinor(hold: Hold): number {
  return outstandingMinor(hold) + hold.clearedMinor;
}

/** An authorization of which nothing is left does not count as one either. */
export function partsThatCount(parts: readonly Counted[], countedMinor: number): Counted[] {
  return parts.map((part) => (countedMinor > 0 ? part : { ...part, count: 0 }));
}

export function increaseHold<S extends HoldState>(state: S, amountMinor: number): S {
  return { ...state, authorizedMinor: state.authorizedMinor + amountMinor };
}

export function decreaseHold<S extends HoldState>(state: S, amountMinor: number): S {
  return { ...state, releasedMinor: state.releasedMinor + amountMinor };
}

/** Keeps the first closure. */
export function closeHold<S extends HoldState>(state: S, closedBy: NonNullable<Hold["closedBy"]>): S {
  return { ...state, closedBy: state.closedBy ?? closedBy };
}

export function emptyHold(card: RecordedCard, authorizationId: string, createdAt: string): Hold {
  const { programId, cardId, cardholderId, currency } = card;
  const owner = { programId, cardId, cardholderId, currency };
  return { ...noHold, ...owner, authorizationId, version: 0, clearedMinor: 0, merchant: {}, createdAt };
}

/** A hold that the network never resolves expires after this. */
const lifetimeMs = 7 * 86_400_000;

export function holdDueAt({ heldSince, createdAt }: Hold): Date {
  return new Date(Date.parse(heldSince ?? createdAt) + lifetimeMs);
}

/**
 * Requires `before` (condition `hold`). The hold carries its deadline while it is not 0. Also
 * writes the sum in the list of transactions.
 */
export function holdWrites(before: Hold, after: Hold, at: Date): WriteAction[] {
  const { programId, authorizationId } = after;
  const [heldBefore, held] = [outstandingMinor(before), outstandingMinor(after)];
  const begins = held > 0 && heldBefore === 0;
  const ends = held === 0 && heldBefore > 0;
  const change = held - heldBefore;
  const next = {
    ...after,
    version: before.version + 1,
    outstandingMinor: held,
    ...(begins && { heldSince: timestamp(at), ...expiry(after, at) }),
    ...(ends && noDeadline),
  };
  const isApart = before.dueAt === undefined;
  return [
    {
      ...holds
        .at(programId, authorizationId)
        .put(next, before.version === 0 ? isNew : { version: before.version }),
      ...(change !== 0 && { alongside: [holdListChange(programId, change)] }),
    },
    ...(ends && isApart ? [deadlineDelete(programId, holdDeadlineId(authorizationId))] : []),
  ];
}

function expiry({ programId, authorizationId }: Hold, at: Date) {
  const dueAt = new Date(at.getTime() + lifetimeMs);
  const deadlineId = holdDeadlineId(authorizationId);
  return toStoredDeadline({ ownerId: programId, deadlineId, kind: "expire_hold", authorizationId, dueAt });
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

/** Adds to the sum of open holds; a negative amount takes away. */
function holdListChange(programId: string, amountMinor: number): WriteAction {
  return listChange({ programId, kind: holdList }, [holdListEntry(amountMinor)]);
}

/** All holds of a Program are one entry, weighted with their minor units. */
export function holdListEntry(weight: number): Entry {
  return { id: "held", createdAt: 0, values: [], weight };
}
