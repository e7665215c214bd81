import * as z from "zod";
import {
  eventQuery,
  orderFields,
  paymentEventView,
  paymentFields,
  paymentQuery,
  reasonCode,
  paymentRoute as route,
  paymentSandboxRoute as sandboxRoute,
} from "./payments.ts";
import { id, positiveAmount, text, timestamp } from "./primitives.ts";

const date = z.iso.date();

/** The first pull of a mandate is told to the bank as such, and all later ones. */
export const MandateSequence = z.enum(["first", "recurring"]);

export const MandateCreate = z.object({
  /** The day on which the account's holder signed it: none to come. */
  signedAt: date.refine((day) => day >= "1900-01-01", "must not be before 1900-01-01"),
  /** What the holder knows it by. Default: it is made of the mandate's id. */
  reference: text(35).optional(),
});

export const MandateView = z.object({
  mandateId: id("mandate"),
  externalAccountId: id("externalAccount"),
  reference: z.string(),
  signedAt: date,
  /** The next pull's. */
  sequence: MandateSequence,
  status: z.enum(["active", "cancelled"]),
  /** The bank's, if a return or a rejection has cancelled it. */
  reasonCode: z.string().optional(),
  dateCreated: timestamp,
  dateCancelled: timestamp.optional(),
});
export type MandateView = z.output<typeof MandateView>;

/** `transStatus` says the same in the specification's numbers. */
export const PullStatus = z.enum([
  "declined",
  "cancelled",
  "pending",
  "sent",
  "collected",
  "completed",
  "rejected",
  "returned",
]);
export type PullStatus = z.output<typeof PullStatus>;

export const PullCreate = z.object({
  ...orderFields,
  mandateId: id("mandate"),
  /** Not before this day. Default: as soon as the bank can. */
  collectOn: date.optional(),
});
export type PullCreate = z.output<typeof PullCreate>;

export const PullView = z.object({
  pullId: id("pull"),
  ...paymentFields,
  status: PullStatus,
  mandateId: id("mandate"),
  /** What the bank is told: it is the first of its mandate, or a later one. */
  sequence: MandateSequence,
  collectOn: date.optional(),
  declineReason: z.enum(["LIMIT_EXCEEDED"]).optional(),
  /** Once it is collected. */
  depositId: id("deposit").optional(),
  /** When what was collected can be spent. */
  availableOn: timestamp.optional(),
  /** Until then who has paid can have it back: eight weeks; 13 months without a mandate. */
  returnableUntil: timestamp.optional(),
  dateCollected: timestamp.optional(),
});
export type PullView = z.output<typeof PullView>;

export const PullEventView = paymentEventView(PullStatus);
export type PullEventView = z.output<typeof PullEventView>;

export const pullRoutes = [
  route(
    "POST /external-accounts/{externalAccountId}/mandates",
    "write createMandate",
    "Record a mandate to pull from an external account",
    { body: MandateCreate, data: MandateView, creates: true, errors: ["NOT_FOUND"] },
  ),
  route(
    "GET /external-accounts/{externalAccountId}/mandates",
    "read listMandates",
    "List an external account's mandates",
    { query: eventQuery, items: MandateView },
  ),
  route(
    "GET /external-accounts/{externalAccountId}/mandates/{mandateId}",
    "read viewMandate",
    "View a mandate",
    { data: MandateView },
  ),
  route(
    "POST /external-accounts/{externalAccountId}/mandates/{mandateId}/cancel",
    "write cancelMandate",
    "Cancel a mandate: nothing new is pulled with it",
    { data: MandateView, errors: ["ILLEGAL_TRANSITION"] },
  ),
  route("GET /pulls", "read listPulls", "List pulls from external accounts", {
    query: paymentQuery("pullId", PullStatus),
    items: PullView,
  }),
  route("POST /pulls", "money createPull", "Pull from an external account into a Wallet", {
    movesFunds: true,
    body: PullCreate,
    data: PullView,
    errors: ["NOT_FOUND", "EXTERNAL_ACCOUNT_NOT_VERIFIED", "MANDATE_CANCELLED", "EXTERNAL_ID_EXISTS"],
  }),
  route("GET /pulls/{pullId}", "read viewPull", "View a pull", { data: PullView }),
  route("GET /pulls/{pullId}/events", "read listPullEvents", "List what happened to a pull", {
    query: eventQuery,
    items: PullEventView,
  }),
  route("POST /pulls/{pullId}/cancel", "money cancelPull", "Cancel a pull that was not sent", {
    movesFunds: true,
    data: PullView,
    errors: ["ILLEGAL_TRANSITION"],
  }),
] as const;

/** What the bank says of a pull, in a sandbox. One that is pending is sent first. */
export const SandboxPullOutcome = z.object({
  status: z.enum(["collected", "rejected", "returned"]),
  /** What came, or was taken back, in minor units: all of it. */
  amount: positiveAmount.optional(),
  reasonCode: reasonCode.optional(),
});

export const pullSandboxRoutes = [
  sandboxRoute(
    "POST /pulls/{pullId}/outcome",
    "money reportPull",
    "Collect, reject or return a pull, as the bank does",
    { body: SandboxPullOutcome, data: PullView, errors: ["ILLEGAL_TRANSITION", "VALIDATION_FAILED"] },
  ),
] as const;
