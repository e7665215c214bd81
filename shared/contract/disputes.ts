import * as z from "zod";
import { Currency } from "./enums.ts";
import {
  amount,
  externalId,
  id,
  integerEnum,
  labelChanges,
  labels,
  listQuery,
  paragraphs,
  positiveAmount,
  ranges,
  text,
  timestamp,
} from "./primitives.ts";
import { routesWith } from "./route.ts";

export const DisputeStatus = z.enum([
  "new",
  "pending_customer",
  "submitted",
  "representment",
  "pre_arbitration",
  "arbitration",
  "won",
  "lost",
  "expired",
  "withdrawn",
]);
export type DisputeStatus = z.output<typeof DisputeStatus>;

export const DisputeReason = z.enum([
  "not_received",
  "not_as_described",
  "defective",
  "duplicate",
  "fraud_card_present",
  "fraud_card_not_present",
  "lost_or_stolen",
  "cancelled",
  "cancelled_recurring",
  "credit_not_processed",
  "incorrect_amount",
  "atm_not_dispensed",
  "no_authorization",
  "other",
]);
export type DisputeReason = z.output<typeof DisputeReason>;

/** In minor units. `original` is always the sum of the other four. */
export const DisputeLiability = z.object({
  /** What is disputed, in minor units. */
  original: amount,
  /** What the network has paid back, in minor units. */
  recovered: amount,
  /** What the Program bears, in minor units. */
  writtenOff: amount,
  /** What was not granted, or given up, in minor units. */
  denied: amount,
  /** What is not decided yet, in minor units. */
  remaining: amount,
});
export type DisputeLiability = z.output<typeof DisputeLiability>;

const note = paragraphs(2_000);

export const DisputeCreate = z.object({
  /** Names the disputed transaction: a cleared purchase, or an ATM withdrawal. */
  referenceCode: text(64),
  reason: DisputeReason,
  /** In minor units of the Card's currency. Default: all that can still be disputed of it. */
  amount: positiveAmount.optional(),
  note: note.optional(),
  ...labels,
});

/** Omitted fields stay unchanged. `externalId` and `metadata` can change in every status. */
export const DisputeUpdate = DisputeCreate.omit({ referenceCode: true }).partial().extend(labelChanges);

export const DisputeView = z.object({
  disputeId: id("dispute"),
  status: DisputeStatus,
  transId: id("transaction"),
  referenceCode: z.string(),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  reason: DisputeReason,
  note: z.string().optional(),
  /** In minor units of the Card's currency. */
  amount,
  currency: integerEnum(Currency),
  liability: DisputeLiability,
  /** In minor units: what it has credited, of which the Card has what refunds leave. */
  creditedAmount: amount,
  /** When the provisional credit is due, if it is not granted yet. */
  creditDue: timestamp.optional(),
  /** When the status ends by itself, if nothing happens. */
  deadline: timestamp.optional(),
  ...labels,
  dateCreated: timestamp,
  dateChanged: timestamp,
});
export type DisputeView = z.output<typeof DisputeView>;

/** Without metadata. */
export const DisputeListItem = DisputeView.omit({ metadata: true });

/** What can happen to a dispute; the names of its events. */
export const DisputeTrigger = z.enum([
  "create",
  "change",
  "submit",
  "credit",
  "request_evidence",
  "represent",
  "pre_arbitrate",
  "arbitrate",
  "win",
  "lose",
  "write_off",
  "withdraw",
  "reverse",
  "expire",
]);
export type DisputeTrigger = z.output<typeof DisputeTrigger>;

export const DisputeEventView = z.object({
  eventId: id("event"),
  trigger: DisputeTrigger,
  /** The status that it led to. */
  status: DisputeStatus,
  amount,
  liability: DisputeLiability,
  /** The Card's transactions that record it. */
  transIds: z.array(id("transaction")),
  dateCreated: timestamp,
});
export type DisputeEventView = z.output<typeof DisputeEventView>;

const route = routesWith({ api: "platform", function: "disputes" });
const moneyRoute = routesWith({ api: "platform", function: "disputes", movesFunds: true });

export const disputeRoutes = [
  moneyRoute("POST /disputes", "money createDispute", "Dispute a transaction, or a part of it", {
    body: DisputeCreate,
    data: DisputeView,
    errors: ["NOT_FOUND", "ILLEGAL_TRANSITION", "AMOUNT_EXCEEDED"],
  }),
  route("GET /disputes", "read listDisputes", "List disputes", {
    query: listQuery(["dateCreated", "disputeId", "amount"], {
      cardId: text(64).optional(),
      cardholderId: text(64).optional(),
      status: DisputeStatus.optional(),
      ...ranges,
      referenceCode: text(64).optional(),
      externalId: externalId.optional(),
    }),
    items: DisputeListItem,
  }),
  route("GET /disputes/{disputeId}", "read viewDispute", "View a dispute", { data: DisputeView }),
  route(
    "PUT /disputes/{disputeId}",
    "write changeDispute",
    "Change a dispute that is not submitted, or what the caller has noted of it",
    { body: DisputeUpdate, data: DisputeView, errors: ["ILLEGAL_TRANSITION", "AMOUNT_EXCEEDED"] },
  ),
  moneyRoute("POST /disputes/{disputeId}/submit", "money submitDispute", "Submit a dispute to the network", {
    data: DisputeView,
    errors: ["ILLEGAL_TRANSITION", "EVIDENCE_REQUIRED"],
  }),
  moneyRoute(
    "POST /disputes/{disputeId}/escalate",
    "money escalateDispute",
    "Go on with a dispute that the merchant contests",
    { data: DisputeView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  moneyRoute(
    "POST /disputes/{disputeId}/write-off",
    "money writeOffDispute",
    "End a dispute at the Program's expense",
    { data: DisputeView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  moneyRoute("POST /disputes/{disputeId}/withdraw", "money withdrawDispute", "Withdraw a dispute", {
    data: DisputeView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
  route("GET /disputes/{disputeId}/events", "read listDisputeEvents", "List what happened to a dispute", {
    query: listQuery(["dateCreated"], {}),
    items: DisputeEventView,
  }),
] as const;
