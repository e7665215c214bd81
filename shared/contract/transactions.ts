import * as z from "zod";
import { DecidedBy } from "./authorization-endpoint.ts";
import { CardBalanceProof, HoldMatching, holdMatchingQuery } from "./balances.ts";
import { Currency, FeeType, TransactionStatus, TransactionType } from "./enums.ts";
import { authorizationReference } from "./network-message.ts";
import { amount, id, integerEnum, listQuery, queryEnum, ranges, text, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { presentedView } from "./verification.ts";

/** DR debits the card, CR credits it. */
export const transactionDirection = z.enum(["DR", "CR"]);
export type TransactionDirection = z.output<typeof transactionDirection>;

export const AuthorizationDeclineReason = z.enum([
  "INSUFFICIENT_FUNDS",
  "CARD_ON_HOLD",
  "CARD_CLOSED",
  "CARD_NOT_ACTIVATED",
  "CARD_PENDING",
  "CARD_BLOCKED",
  "CARD_EXPIRED",
  /** The plastic was reported lost or stolen. */
  "PLASTIC_STOPPED",
  /** A newer plastic of the Card is in its place. */
  "PLASTIC_REPLACED",
  /** More than the Card's `spendLimit` leaves. */
  "SPEND_LIMIT",
  /** By a spend control: `controlId` names it. */
  "CONTROL_DECLINED",
  /** By the Program's receiver, which was asked. */
  "RECEIVER_DECLINED",
  /** By the stand-in policy: the receiver did not answer in time, or not validly. */
  "STAND_IN_DECLINED",
  /**
   * An increment of a finished authorization: cleared with `final`, reversed, expired or declined.
   */
  "AUTHORIZATION_FINISHED",
  /** An increment of an authorization that has 1,000, or counts in 1,000 periods of controls. */
  "AUTHORIZATION_FULL",
  /** By what was checked before the platform: PIN, security code and expiry date. */
  "PIN_WRONG",
  "PIN_BLOCKED",
  "CVV_WRONG",
  "EXPIRY_WRONG",
  /** The token of the purchase is not active. */
  "TOKEN_NOT_ACTIVE",
  /** The Card has no such token. */
  "NOT_FOUND",
  /** A token's request: the Card has 10 already. */
  "LIMIT_REACHED",
  /** A token's request, by the Program's rules. */
  "RULE_DECLINED",
  /** A token's verification: wrong passcodes, or declined; or its time passed. */
  "VERIFICATION_FAILED",
  "VERIFICATION_EXPIRED",
]);
export type AuthorizationDeclineReason = z.output<typeof AuthorizationDeclineReason>;

/** Amounts in minor units. A transaction that changes no balance has the amount 0. */
export const TransactionsViewResponse = z.object({
  transId: z.string(),
  /** Absent if the line aggregates several cards. */
  cardId: id("card").optional(),
  cardholderId: id("cardholder").optional(),
  transType: integerEnum(TransactionType),
  transStatus: integerEnum(TransactionStatus),
  type: transactionDirection,
  amount,
  currency: integerEnum(Currency),
  /** The billed amount, in minor units of `srcCurrency`. Absent if the network did not send it. */
  srcAmount: amount.optional(),
  /** ISO 4217 numeric code: 978 is EUR. The card's own currency if no conversion took place. */
  srcCurrency: z.string().optional(),
  merchantName: z.string().optional(),
  mcc: z.string().optional(),
  referenceCode: z.string().optional(),
  description: z.string(),
  /** The network's reference of its authorization or withdrawal. */
  authorizationId: z.string().optional(),
  /** The Wallet that paid it, where that was not the Card's own money. */
  fundingWalletId: id("wallet").optional(),
  /** The digital wallet token: of a token's request or notice, or of a purchase with it. */
  tokenId: id("token").optional(),
  /** The purchase or withdrawal that a refund names. */
  originalTransId: id("transaction").optional(),
  /** Only declined transactions have it. */
  declineReason: AuthorizationDeclineReason.optional(),
  /** The spend control that declined it. */
  controlId: id("control").optional(),
  /** Who approved or declined, where the Program has an authorization endpoint. */
  decidedBy: DecidedBy.optional(),
  ...presentedView,
  transDate: timestamp,
  postDate: timestamp.optional(),
  dateCreated: timestamp,
  isAggregate: z.boolean(),
});
export type TransactionsViewResponse = z.output<typeof TransactionsViewResponse>;

export const FeesViewResponse = z.object({
  feeId: id("fee"),
  cardId: id("card"),
  cardholderId: id("cardholder"),
  feeType: integerEnum(FeeType),
  transStatus: integerEnum(TransactionStatus),
  amount,
  currency: integerEnum(Currency),
  /** The transaction that caused the fee. */
  relatedTransId: id("transaction").optional(),
  description: z.string(),
  dateCreated: timestamp,
});
export type FeesViewResponse = z.output<typeof FeesViewResponse>;

const cardFilters = { cardId: text(64).optional(), cardholderId: text(64).optional() };

/** The `transId` of the aggregate line, also valid as a filter. */
export const aggregateTransId = "pending";

export const transactionListQuery = listQuery(
  ["transDate", "transId", "amount", "transType", "transStatus"],
  {
    ...cardFilters,
    transId: text(64).optional(),
    /** The transactions of an authorization or withdrawal, without the aggregate line. */
    authorizationId: authorizationReference.optional(),
    transStatus: queryEnum(TransactionStatus).optional(),
    transType: queryEnum(TransactionType).optional(),
    ...ranges,
    /** How the merchant's name begins, whatever its case and accents. */
    merchant: text(100).optional(),
    merchantId: text(50).optional(),
    mcc: text(4).optional(),
    referenceCode: text(64).optional(),
  },
  { orderBy: "transDate", sort: "desc" },
);

export const feeListQuery = listQuery(["dateCreated", "feeId", "feeType", "amount"], {
  ...cardFilters,
  feeId: text(64).optional(),
  feeStatus: queryEnum(TransactionStatus).optional(),
  feeType: queryEnum(FeeType).optional(),
  ...ranges,
});

const route = routesWith({ api: "platform", function: "cards" });

export const transactionRoutes = [
  route(
    "GET /cards/transactions",
    "read listTransactions",
    "List the transactions of Cards, with one aggregate line for all open holds",
    { query: transactionListQuery, items: TransactionsViewResponse },
  ),
  route("GET /cards/fees", "read listFees", "List the fees of Cards", {
    query: feeListQuery,
    items: FeesViewResponse,
  }),
  route(
    "GET /cards/{cardId}/balance/proof",
    "read proveBalance",
    "Prove a Card's balances from its journal",
    { data: CardBalanceProof },
  ),
  route(
    "GET /cards/{cardId}/hold-matching",
    "read matchCardHolds",
    "Match a Card's holds with its settlements",
    { query: holdMatchingQuery, data: HoldMatching },
  ),
] as const;
