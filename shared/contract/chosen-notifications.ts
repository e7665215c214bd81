import * as z from "zod";
import { AuthenticationView } from "./authentications.ts";
import { AuthorizationEventView, AuthorizationView } from "./authorizations.ts";
import { BulkView } from "./bulk.ts";
import { CardholderView } from "./cardholders.ts";
import { CardViewMasked } from "./cards.ts";
import { CardApprovalStatus, CardholderStatus, CardStatus, Currency, EventType } from "./enums.ts";
import { ExternalAccountStatus, ExternalAccountView } from "./external-accounts.ts";
import { PayoutView } from "./payouts.ts";
import { PlasticView } from "./plastics.ts";
import { amount, id, integerEnum, timestamp } from "./primitives.ts";
import { PullView } from "./pulls.ts";
import { ReportView } from "./reports.ts";
import { TokenState, TokenView } from "./tokens.ts";
import { DepositView, TransferListItem } from "./wallets.ts";

/** The types that are sent, and recorded, only while an endpoint of the Program names them. */
type ChosenType = Exclude<
  EventType,
  (typeof EventType)[
    | "hold"
    | "settlement"
    | "depositPending"
    | "depositCleared"
    | "dispute"
    | "depositReturned"]
>;

/** Without who it is: the receiver has that, or asks for it. */
const CardholderData = CardholderView.omit({ contact: true, kycUrl: true });
const CardData = CardViewMasked.omit({
  cardToken: true,
  nameOnCard: true,
  cardHolderLastName: true,
  cryptoAddresses: true,
});

const ExternalAccountData = ExternalAccountView.omit({ holderName: true, suggestedName: true }).extend({
  previousStatus: ExternalAccountStatus,
});

/** Only the vault knows whether its number has a PIN. */
const PlasticData = PlasticView.omit({ pinSet: true });

/** With what happened to it. */
const AuthorizationData = AuthorizationView.extend({ event: AuthorizationEventView });

/** With those of a passcode, which were the whole body before. */
const AuthenticationData = AuthenticationView.extend({
  challengeId: id("challenge").optional(),
  expiresAt: timestamp.optional(),
});

/** How the bank's report, or its absence, has ended what a client expected. */
const ExpectationData = DepositView.extend({ expectation: z.enum(["claimed", "cancelled", "expired"]) });

/** Why the balance moved: the kind of the journal entry. */
const BalanceData = z.object({
  walletId: id("wallet").optional(),
  cardId: id("card").optional(),
  availableBalance: amount,
  ledgerBalance: amount,
  currency: integerEnum(Currency),
  cause: z.string(),
  /** The transaction, transfer, deposit, fee or other record behind it. */
  relatedId: z.string(),
});

/** `GET /reports/{reportId}` has its URL. */
const ReportData = ReportView.omit({ url: true, urlExpiresAt: true });

export interface ChosenNotification {
  readonly eventType: ChosenType;
  readonly type: string;
  readonly summary: string;
  readonly data: z.ZodObject;
}

/**
 * Each type's name, and the `data` of its body. Pages, `webhooks` of openapi.json and the client
 * are made from it; what the platform sends has these fields alone.
 */
export const chosenNotifications = {
  [EventType.cardholderCreated]: {
    type: "cardholder.created",
    summary: "A Cardholder was created",
    data: CardholderData,
  },
  [EventType.cardholderStatusChanged]: {
    type: "cardholder.status_changed",
    summary: "A Cardholder's status changed",
    data: CardholderData.extend({ previousStatus: integerEnum(CardholderStatus) }),
  },
  [EventType.cardholderUpdated]: {
    type: "cardholder.updated",
    summary: "Fields of a Cardholder changed",
    // The names of the fields alone.
    data: CardholderData.extend({ changed: z.array(z.string()).min(1) }),
  },
  [EventType.cardholderBlocked]: {
    type: "cardholder.blocked",
    summary: "The platform blocked a Cardholder, and so all of its Cards",
    data: CardholderData,
  },
  [EventType.cardholderUnblocked]: {
    type: "cardholder.unblocked",
    summary: "The platform lifted the block of a Cardholder",
    data: CardholderData,
  },
  [EventType.cardCreated]: {
    type: "card.created",
    summary: "A Card was issued, Active at once or not",
    data: CardData,
  },
  [EventType.cardStatusChanged]: {
    type: "card.status_changed",
    summary: "One of a Card's two statuses changed",
    data: CardData.extend({
      previous: z.object({
        cardStatus: integerEnum(CardApprovalStatus),
        issuerCardStatus: integerEnum(CardStatus),
      }),
    }),
  },
  [EventType.cardBlocked]: {
    type: "card.blocked",
    summary: "The platform blocked a Card, itself or with its Cardholder",
    data: CardData,
  },
  [EventType.cardUnblocked]: {
    type: "card.unblocked",
    summary: "A Card is not blocked any more",
    data: CardData,
  },
  [EventType.cardShippingChanged]: {
    type: "card.shipping_changed",
    summary: "A physical Card is on its way, delivered or returned",
    data: CardData,
  },
  [EventType.cardExpiring]: {
    type: "card.expiring",
    summary: "A Card expires within 60 days, and is due for renewal",
    data: CardData,
  },
  [EventType.cardReplaced]: {
    type: "card.replaced",
    summary: "A Card got another plastic: a replacement or a renewal",
    data: CardData,
  },
  [EventType.plasticChanged]: {
    type: "plastic.changed",
    summary: "A plastic was made, activated, stopped or replaced",
    data: PlasticData,
  },
  [EventType.transferCompleted]: {
    type: "transfer.completed",
    summary: "A transfer or an unload moved money",
    data: TransferListItem,
  },
  [EventType.transferDeclined]: {
    type: "transfer.declined",
    summary: "A transfer or an unload was declined",
    data: TransferListItem,
  },
  [EventType.externalAccountChanged]: {
    type: "external_account.changed",
    summary:
      "The status of an external account changed: it is verified, has failed, is suspended or archived",
    data: ExternalAccountData,
  },
  [EventType.topUpFailed]: {
    type: "top_up.failed",
    summary: "A Wallet lacked the money for an automatic top-up",
    data: TransferListItem,
  },
  [EventType.cardSwept]: {
    type: "card.swept",
    summary: "A Card was closed, and a Wallet got what was left",
    data: CardData.extend({ walletId: id("wallet"), amount }),
  },
  [EventType.accountDepositPending]: {
    type: "deposit.pending",
    summary: "A deposit is on its way to a Wallet or a Card",
    data: DepositView,
  },
  [EventType.accountDepositCleared]: {
    type: "deposit.cleared",
    summary: "A deposit has cleared",
    data: DepositView,
  },
  [EventType.accountDepositReversed]: {
    type: "deposit.reversed",
    summary: "A deposit ended before it cleared",
    data: DepositView,
  },
  [EventType.accountDepositReturned]: {
    type: "deposit.returned",
    summary: "A cleared deposit was returned, or a part of it",
    data: DepositView,
  },
  [EventType.authorizationDeclined]: {
    type: "authorization.declined",
    summary: "An authorization, or an increment of one, was declined",
    data: AuthorizationData,
  },
  [EventType.authorizationReleased]: {
    type: "authorization.released",
    summary: "A reversal, an expiry or the last clearing released what was held",
    data: AuthorizationData,
  },
  [EventType.tokenRequested]: {
    type: "token.requested",
    summary: "A wallet asked for a token of a Card: it is active, waits for a passcode, or is declined",
    data: TokenView,
  },
  [EventType.tokenStatusChanged]: {
    type: "token.status_changed",
    summary: "The state of a token changed",
    data: TokenView.extend({ previousState: TokenState }),
  },
  [EventType.authenticationRequested]: {
    type: "authentication.requested",
    summary: "A merchant asked to authenticate a purchase",
    data: AuthenticationData,
  },
  [EventType.authenticationCompleted]: {
    type: "authentication.completed",
    summary: "An authentication is decided",
    data: AuthenticationData.extend({ authenticated: z.boolean() }),
  },
  [EventType.expectationChanged]: {
    type: "deposit.expectation_changed",
    summary: "The bank has reported an announced deposit, or it was cancelled or has expired",
    data: ExpectationData,
  },
  [EventType.balanceChanged]: {
    type: "balance.changed",
    summary: "An entry or a hold changed a balance of a Card or Wallet",
    data: BalanceData,
  },
  [EventType.payoutChanged]: {
    type: "payout.changed",
    summary: "A payout was created, or its status changed",
    data: PayoutView,
  },
  [EventType.pullChanged]: {
    type: "pull.changed",
    summary: "A pull was created, or its status changed",
    data: PullView,
  },
  [EventType.reportFinished]: {
    type: "report.finished",
    summary: "A report was made, or failed",
    data: ReportData,
  },
  [EventType.bulkFinished]: {
    type: "bulk.finished",
    summary: "Each line of a bulk has a result",
    data: BulkView,
  },
} as const satisfies Readonly<Record<ChosenType, Omit<ChosenNotification, "eventType">>>;

export type ChosenNotifications = typeof chosenNotifications;
export type ChosenEventType = keyof ChosenNotifications;

/** The body of a notification of a type from 10 on. `eventId` is also the `webhook-id`. */
export type ChosenBody<Type extends ChosenEventType = ChosenEventType> = {
  readonly [Each in Type]: {
    readonly eventId: string;
    readonly eventType: Each;
    readonly type: ChosenNotifications[Each]["type"];
    readonly programId: string;
    readonly subjectId: string;
    readonly dateCreated: string;
    readonly data: z.output<ChosenNotifications[Each]["data"]>;
  };
}[Type];

export const chosenEventTypes = Object.keys(chosenNotifications).map(Number) as ChosenEventType[];
