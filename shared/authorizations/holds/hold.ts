import * as z from "zod";
import { DecidedBy } from "../../contract/authorization-endpoint.ts";
import { EntryMode } from "../../contract/card-network.ts";
import { Currency } from "../../contract/enums.ts";
import { integerEnum } from "../../contract/primitives.ts";
import { presentedFields } from "../../contract/verification.ts";
import { defineList, rides } from "../../lists/kind.ts";
import { CarriedDeadline } from "../../platform/deadlines.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { Counted, DeclineNote, StoredMerchant } from "../../transactions/transaction.ts";

const AmountAt = z.object({
  amountMinor: z.int(),
  /** When it occurred in the network. */
  at: z.string(),
});
export type AmountAt = Readonly<z.output<typeof AmountAt>>;

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
  ...presentedFields,
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
export type Reservation = Readonly<z.output<typeof Reservation>>;

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

/** No endpoint shows this list: its total is the sum of a Program's open holds. */
export const holdList = defineList({ name: "holds", ...rides });
