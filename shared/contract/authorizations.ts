import * as z from "zod";
import { DecidedBy, QuestionMerchant } from "./authorization-endpoint.ts";
import { EntryMode } from "./card-network.ts";
import { Currency } from "./enums.ts";
import { authorizationReference } from "./network-message.ts";
import { amount, country, id, integerEnum, listQuery, ranges, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { AuthorizationDeclineReason } from "./transactions.ts";
import { presentedView } from "./verification.ts";

/**
 * `pending` while it can still hold or clear, also when it is cleared in part, or asked about.
 * `cleared` whenever anything has cleared: of `reversed` and `expired`, no money moved.
 */
export const AuthorizationStatus = z.enum(["pending", "cleared", "reversed", "expired", "declined"]);
export type AuthorizationStatus = z.output<typeof AuthorizationStatus>;

/** `total`: the network sent what is authorized in all, or what a reversal leaves of it. */
export const AuthorizationEventType = z.enum([
  "authorization",
  "advice",
  "increment",
  "reversal",
  "clearing",
  "expiry",
  "total",
]);

/** In minor units of the Card's currency; never negative. */
const minor = z.int().min(0);

const decline = {
  declineReason: AuthorizationDeclineReason.optional(),
  /** Tells support staff what was declined, by which control, limit or state, with amounts. */
  declineMessage: z.string().optional(),
  /** The spend control that declined it. */
  controlId: id("control").optional(),
  /** Who approved or declined, where the Program has an authorization endpoint. */
  decidedBy: DecidedBy.optional(),
};

const sums = {
  /** In minor units: approved by the platform, the receiver or, with advices, by the network. */
  authorizedAmount: minor,
  /** In minor units: given free by reversals, by an expiry, and the rest at the last clearing. */
  releasedAmount: minor,
  /** In minor units: posted, also more than was held. */
  clearedAmount: minor,
  /** In minor units: what reversals gave back of what had cleared. */
  refundedAmount: minor,
};

/** What happened to an authorization. The four amounts are what it added. */
export const AuthorizationEventView = z.object({
  eventId: id("event"),
  type: AuthorizationEventType,
  outcome: z.enum(["approved", "declined"]),
  /** What the network named. */
  amount,
  ...sums,
  /** The row of `GET /cards/transactions`, where there is one. */
  transId: id("transaction").optional(),
  ...decline,
  dateCreated: timestamp,
});
export type AuthorizationEventView = z.output<typeof AuthorizationEventView>;

/** Amounts in minor units of the Card's currency: each is the sum over the events. */
export const AuthorizationView = z.object({
  /** The network's reference: that of the question, of the sandbox and of `/decision`. */
  authorizationId: z.string(),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  status: AuthorizationStatus,
  /** In minor units: what was asked for, declined increments too. */
  requestedAmount: minor,
  ...sums,
  /** In minor units: what it still holds. A Card's sum is its line of pending authorizations. */
  remainingAmount: minor,
  currency: integerEnum(Currency),
  merchant: QuestionMerchant,
  /** What the merchant billed in another currency, in minor units of `merchantCurrency`. */
  merchantAmount: z.int().optional(),
  /** ISO 4217 numeric code: 978 is EUR. */
  merchantCurrency: z.string().optional(),
  entryMode: EntryMode.optional(),
  ...presentedView,
  ...decline,
  eventCount: z.int(),
  dateCreated: timestamp,
  /** When the last event was. */
  dateChanged: timestamp,
  /** When the platform releases what is left, unless something happens before. */
  expiresAt: timestamp.optional(),
});
export type AuthorizationView = z.output<typeof AuthorizationView>;

export const AuthorizationDetailView = AuthorizationView.extend({
  /** The newest 100, oldest first. */
  events: z.array(AuthorizationEventView),
});

export const authorizationListQuery = listQuery(
  ["dateCreated", "authorizationId", "requestedAmount", "status"],
  {
    cardId: text(64).optional(),
    cardholderId: text(64).optional(),
    status: AuthorizationStatus.optional(),
    /** How the merchant's name begins; case and accents do not count. */
    merchant: text(100).optional(),
    merchantId: text(50).optional(),
    mcc: z
      .string()
      .regex(/^\d{4}$/, "must be four digits")
      .optional(),
    merchantCountry: country.optional(),
    ...ranges,
  },
);

const route = routesWith({ api: "platform", function: "cards" });
const parameters = { authorizationId: authorizationReference };

export const authorizationRoutes = [
  route(
    "GET /authorizations",
    "read listAuthorizations",
    "List authorizations, also those that were declined",
    { query: authorizationListQuery, items: AuthorizationView },
  ),
  route(
    "GET /authorizations/{authorizationId}",
    "read viewAuthorization",
    "View an authorization, with what happened to it",
    { parameters, data: AuthorizationDetailView },
  ),
  route(
    "GET /authorizations/{authorizationId}/events",
    "read listAuthorizationEvents",
    "List all that happened to an authorization",
    {
      parameters,
      query: listQuery(["dateCreated"], {}, { orderBy: "dateCreated", sort: "asc" }),
      items: AuthorizationEventView,
    },
  ),
] as const;
