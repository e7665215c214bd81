import * as z from "zod";
import { AuthenticationView } from "./authentications.ts";
import { AuthorizationEventView, AuthorizationView } from "./authorizations.ts";
import { BulkView } from "./bulk.ts";
import { CardholderView } from "./cardholders.ts";
import { CardViewMasked } from "./cards.ts";
import {
  CardApprovalStatus,
  CardForm,
  CardholderStatus,
  CardStatus,
  Currency,
  DepositStatus,
  DestinationType,
  EventType,
  KycFlow,
  TransferStatus,
} from "./enums.ts";
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

const ids = {
  cardholder: "chd_01K5Q2M8ZT9GQ0BVT6S3N5DA7X",
  card: "crd_01K5Q2N4HR2F8WJ3M7C6Y1ZE9K",
  plastic: "plc_01K5Q2N8VX5B1T4Y7S0D3G6JQM",
  wallet: "wlt_01K5Q2KX7B5N0D4R8P2V6GQT3M",
  pull: "pul_01K5Q2T6YE8R0T3X5Z7B9D1F2H",
  transfer: "trf_01K5Q2P9SD3M6T1X8B4N7W0CZV",
  deposit: "dep_01K5Q2Q2GJ8R5V0K3D7F9Y4NXA",
  externalAccount: "exa_01K5Q2R6ME1T4B7W9Z3X5C8QPK",
  authentication: "ath_01K5Q2R6ME1T4B7W9Z3X5C8QPK",
  challenge: "chl_01K5Q2R6ME1T4B7W9Z3X5C8QPK",
  payout: "pay_01K5Q2T4C0X7M2Z9V6B3N8D1FR",
  token: "tok_4E5A7M0D9K2X8W1R6T3Q5ZB7NC",
  bulk: "blk_01K5Q2W6T0Q9K4Y7M2R5J8N3DX",
  report: "rpt_01K5Q2V9NF4C8S1W6G0E3B7HTM",
  transaction: "txn_01K5Q2S1VA7D9G2N6K0R4H8JWZ",
};
const madeAt = "2026-11-02T09:30:00.000Z";

const cardholder = {
  cardholderId: ids.cardholder,
  status: CardholderStatus.approved,
  altKycEnabled: KycFlow.hosted,
  externalId: "customer-7",
  dateCreated: madeAt,
};
const card = {
  cardId: ids.card,
  cardholderId: ids.cardholder,
  cardStatus: CardApprovalStatus.approved,
  issuerCardStatus: CardStatus.active,
  blocked: false,
  cardForm: CardForm.virtual,
  cardType: 0,
  maskedCardNumber: "400000******1234",
  expiryMonth: 11,
  expiryYear: 2029,
  currency: Currency.usd,
  createdDatetime: madeAt,
};
const plastic = {
  plasticId: ids.plastic,
  cardId: ids.card,
  sequence: 2,
  reason: "lost",
  state: "active",
  maskedCardNumber: "400000******5678",
  expiryMonth: 11,
  expiryYear: 2029,
  dateCreated: madeAt,
  dateActivated: madeAt,
};
const transfer = {
  transferId: ids.transfer,
  transStatus: TransferStatus.approved,
  destinationType: DestinationType.card,
  destinationId: ids.card,
  requestedAmount: 20_000,
  transferredAmount: 20_000,
  currency: Currency.usd,
  dateCreated: madeAt,
  sourceWalletId: ids.wallet,
};
const deposit = {
  depositId: ids.deposit,
  walletId: ids.wallet,
  channel: "bank",
  amount: 50_000,
  currency: Currency.usd,
  status: DepositStatus.pending,
  reference: "INVOICE-1",
  dateCreated: madeAt,
};
const settled = { ...deposit, dateSettled: madeAt };
const challenge = {
  authenticationId: ids.authentication,
  cardId: ids.card,
  cardholderId: ids.cardholder,
  state: "challenged",
  amount: 4_999,
  currency: Currency.usd,
  merchant: { name: "Corner Shop" },
  channel: "browser",
  exemptions: [],
  verification: { addressLine: "not_present", postalCode: "not_present" },
  decidedBy: "rule",
  liabilityShift: false,
  challenge: { method: "passcode", expiresAt: "2026-11-02T09:35:00.000Z" },
  challengeId: ids.challenge,
  expiresAt: "2026-11-02T09:35:00.000Z",
  dateCreated: madeAt,
};

const token = {
  tokenId: ids.token,
  cardId: ids.card,
  cardholderId: ids.cardholder,
  state: "active",
  network: "visa",
  wallet: "apple_pay",
  requestorId: "40010030273",
  tokenReference: "DNITHE382012",
  device: { type: "phone" },
  risk: "green",
  decidedBy: "platform",
  dateCreated: madeAt,
  dateActivated: madeAt,
};

const payout = {
  payoutId: ids.payout,
  transStatus: TransferStatus.approved,
  status: "completed",
  amount: 25_000,
  fee: 50,
  currency: Currency.usd,
  walletId: ids.wallet,
  externalAccountId: "exa_01K5Q2T0B9W6J1Y8T5A2M7C0EQ",
  endToEndId: "PAY01K5Q2T4C0X7M2Z9V6B3N8D1FR",
  reference: "INVOICE-7",
  fileId: "pmf_01K5Q2T8D1Y8N3A0W7C4P9E2GS",
  createdBy: "apu_01K5Q2K5A4M9C3F7J1T8R6W0XB",
  dateCreated: madeAt,
  dateSent: madeAt,
  dateCompleted: madeAt,
};

const pull = {
  pullId: ids.pull,
  transStatus: TransferStatus.pending,
  status: "collected",
  amount: 25_000,
  currency: Currency.usd,
  walletId: ids.wallet,
  externalAccountId: "exa_01K5Q2T4WC6P8R1V3X5Z7B9D0F",
  mandateId: "mnd_01K5Q2T5XD7Q9S2W4Y6A8C0E1G",
  sequence: "recurring",
  endToEndId: "PUL01K5Q2T6YE8R0T3X5Z7B9D1F2H",
  createdBy: "apu_01K5Q2T7ZF9S1V4Y6A8C0E2G3J",
  depositId: ids.deposit,
  availableOn: "2026-11-09T00:00:00.000Z",
  returnableUntil: "2026-12-28T09:30:00.000Z",
  dateCreated: madeAt,
  dateSent: madeAt,
  dateCollected: madeAt,
};

const report = {
  reportId: ids.report,
  kind: "transactions",
  format: "csv",
  status: "done",
  from: "2026-11-01T00:00:00.000Z",
  to: "2026-11-02T00:00:00.000Z",
  timeZone: "Etc/UTC",
  asOf: madeAt,
  rows: 3,
  bytes: 712,
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  dateCreated: madeAt,
  dateDone: "2026-11-02T09:30:02.000Z",
};

const bulk = {
  bulkId: ids.bulk,
  kind: "cards",
  status: "done",
  lines: 500,
  done: 500,
  succeeded: 497,
  duplicates: 2,
  failed: 1,
  dateCreated: madeAt,
  dateDone: "2026-11-02T09:31:12.000Z",
};

const noAmounts = { authorizedAmount: 0, releasedAmount: 0, clearedAmount: 0, refundedAmount: 0 };
const decline = {
  declineReason: "INSUFFICIENT_FUNDS",
  declineMessage: "The authorization of 49.99 USD was declined: the Card has not enough money.",
};
const authorization = {
  authorizationId: "auth-7",
  cardId: ids.card,
  cardholderId: ids.cardholder,
  status: "declined",
  requestedAmount: 4_999,
  ...noAmounts,
  remainingAmount: 0,
  currency: Currency.usd,
  merchant: { name: "Corner Shop", mcc: "5411" },
  ...decline,
  eventCount: 1,
  dateCreated: madeAt,
  dateChanged: madeAt,
};
const declined = {
  eventId: "evt_01K5Q2S1VA7D9G2N6K0R4H8JWZ",
  type: "authorization",
  outcome: "declined",
  amount: 4_999,
  ...noAmounts,
  ...decline,
  dateCreated: madeAt,
};
const released = {
  eventId: "evt_01K5Q2X8BM3N6P9R1T4V7W0YZC",
  type: "reversal",
  outcome: "approved",
  amount: 4_999,
  ...{ ...noAmounts, releasedAmount: 4_999 },
  dateCreated: madeAt,
};

export interface ChosenNotification {
  readonly eventType: ChosenType;
  readonly type: string;
  readonly summary: string;
  readonly data: z.ZodObject;
  readonly example: { readonly subjectId: string; readonly data: object };
}

const of = <Data extends z.ZodObject>(subjectId: string, data: Data, example: object) => ({
  data,
  example: { subjectId, data: example },
});

/**
 * Each type's name, and the `data` of its body with an example. Pages, `webhooks` of openapi.json
 * and the client are made from it; what the platform sends has these fields alone.
 */
export const chosenNotifications = {
  [EventType.cardholderCreated]: {
    type: "cardholder.created",
    summary: "A Cardholder was created",
    ...of(ids.cardholder, CardholderData, { ...cardholder, status: CardholderStatus.draft }),
  },
  [EventType.cardholderStatusChanged]: {
    type: "cardholder.status_changed",
    summary: "A Cardholder's status changed",
    ...of(ids.cardholder, CardholderData.extend({ previousStatus: integerEnum(CardholderStatus) }), {
      ...cardholder,
      previousStatus: CardholderStatus.underReview,
    }),
  },
  [EventType.cardholderUpdated]: {
    type: "cardholder.updated",
    summary: "Fields of a Cardholder changed",
    ...of(
      ids.cardholder,
      // The names of the fields alone.
      CardholderData.extend({ changed: z.array(z.string()).min(1) }),
      { ...cardholder, changed: ["email", "phone"] },
    ),
  },
  [EventType.cardholderBlocked]: {
    type: "cardholder.blocked",
    summary: "The platform blocked a Cardholder, and so all of its Cards",
    ...of(ids.cardholder, CardholderData, cardholder),
  },
  [EventType.cardholderUnblocked]: {
    type: "cardholder.unblocked",
    summary: "The platform lifted the block of a Cardholder",
    ...of(ids.cardholder, CardholderData, cardholder),
  },
  [EventType.cardCreated]: {
    type: "card.created",
    summary: "A Card was issued, Active at once or not",
    ...of(ids.card, CardData, card),
  },
  [EventType.cardStatusChanged]: {
    type: "card.status_changed",
    summary: "One of a Card's two statuses changed",
    ...of(
      ids.card,
      CardData.extend({
        previous: z.object({
          cardStatus: integerEnum(CardApprovalStatus),
          issuerCardStatus: integerEnum(CardStatus),
        }),
      }),
      {
        ...card,
        issuerCardStatus: CardStatus.onHold,
        previous: { cardStatus: CardApprovalStatus.approved, issuerCardStatus: CardStatus.active },
      },
    ),
  },
  [EventType.cardBlocked]: {
    type: "card.blocked",
    summary: "The platform blocked a Card, itself or with its Cardholder",
    ...of(ids.card, CardData, { ...card, blocked: true }),
  },
  [EventType.cardUnblocked]: {
    type: "card.unblocked",
    summary: "A Card is not blocked any more",
    ...of(ids.card, CardData, card),
  },
  [EventType.cardShippingChanged]: {
    type: "card.shipping_changed",
    summary: "A physical Card is on its way, delivered or returned",
    ...of(ids.card, CardData, {
      ...card,
      cardForm: CardForm.physical,
      shipping: { status: "shipped", trackingNumber: "TRACK-1", carrier: "Post", dateUpdated: madeAt },
    }),
  },
  [EventType.cardExpiring]: {
    type: "card.expiring",
    summary: "A Card expires within 60 days, and is due for renewal",
    ...of(ids.card, CardData, { ...card, expiryMonth: 12, expiryYear: 2026 }),
  },
  [EventType.cardReplaced]: {
    type: "card.replaced",
    summary: "A Card got another plastic: a replacement or a renewal",
    ...of(ids.card, CardData, { ...card, plasticId: ids.plastic, maskedCardNumber: "400000******5678" }),
  },
  [EventType.plasticChanged]: {
    type: "plastic.changed",
    summary: "A plastic was made, activated, stopped or replaced",
    ...of(ids.plastic, PlasticData, plastic),
  },
  [EventType.transferCompleted]: {
    type: "transfer.completed",
    summary: "A transfer or an unload moved money",
    ...of(ids.transfer, TransferListItem, transfer),
  },
  [EventType.transferDeclined]: {
    type: "transfer.declined",
    summary: "A transfer or an unload was declined",
    ...of(ids.transfer, TransferListItem, {
      ...transfer,
      transStatus: TransferStatus.declined,
      transferredAmount: 0,
      declineReason: "INSUFFICIENT_FUNDS",
    }),
  },
  [EventType.externalAccountChanged]: {
    type: "external_account.changed",
    summary:
      "The status of an external account changed: it is verified, has failed, is suspended or archived",
    ...of(ids.externalAccount, ExternalAccountData, {
      ...{ externalAccountId: ids.externalAccount, status: "failed", previousStatus: "pending" },
      ...{ statusReason: "NAME_MISMATCH", holderType: "person", lastFour: "3000", country: "DE" },
      ...{ currency: Currency.eur, nickname: "Rent", nameCheck: "no_match" },
      dateCreated: "2026-11-20T08:00:00.000Z",
    }),
  },
  [EventType.topUpFailed]: {
    type: "top_up.failed",
    summary: "A Wallet lacked the money for an automatic top-up",
    ...of(ids.transfer, TransferListItem, {
      ...transfer,
      transStatus: TransferStatus.declined,
      transferredAmount: 0,
      declineReason: "INSUFFICIENT_FUNDS",
      automatic: true,
    }),
  },
  [EventType.cardSwept]: {
    type: "card.swept",
    summary: "A Card was closed, and a Wallet got what was left",
    ...of(ids.card, CardData.extend({ walletId: id("wallet"), amount }), {
      ...card,
      issuerCardStatus: CardStatus.closed,
      walletId: ids.wallet,
      amount: 1_250,
    }),
  },
  [EventType.accountDepositPending]: {
    type: "deposit.pending",
    summary: "A deposit is on its way to a Wallet or a Card",
    ...of(ids.deposit, DepositView, deposit),
  },
  [EventType.accountDepositCleared]: {
    type: "deposit.cleared",
    summary: "A deposit has cleared",
    ...of(ids.deposit, DepositView, { ...settled, status: DepositStatus.cleared }),
  },
  [EventType.accountDepositReversed]: {
    type: "deposit.reversed",
    summary: "A deposit ended before it cleared",
    ...of(ids.deposit, DepositView, { ...settled, status: DepositStatus.reversed }),
  },
  [EventType.accountDepositReturned]: {
    type: "deposit.returned",
    summary: "A cleared deposit was returned, or a part of it",
    ...of(ids.deposit, DepositView, { ...settled, status: DepositStatus.returned }),
  },
  [EventType.authorizationDeclined]: {
    type: "authorization.declined",
    summary: "An authorization, or an increment of one, was declined",
    ...of(authorization.authorizationId, AuthorizationData, { ...authorization, event: declined }),
  },
  [EventType.authorizationReleased]: {
    type: "authorization.released",
    summary: "A reversal, an expiry or the last clearing released what was held",
    ...of(authorization.authorizationId, AuthorizationData, {
      ...{ ...authorization, status: "reversed", requestedAmount: 4_999, authorizedAmount: 4_999 },
      ...{ releasedAmount: 4_999, declineReason: undefined, declineMessage: undefined, event: released },
    }),
  },
  [EventType.tokenRequested]: {
    type: "token.requested",
    summary: "A wallet asked for a token of a Card: it is active, waits for a passcode, or is declined",
    ...of(ids.token, TokenView, token),
  },
  [EventType.tokenStatusChanged]: {
    type: "token.status_changed",
    summary: "The state of a token changed",
    ...of(ids.token, TokenView.extend({ previousState: TokenState }), {
      ...{ ...token, state: "suspended", reason: "Phone lost", previousState: "active" },
    }),
  },
  [EventType.authenticationRequested]: {
    type: "authentication.requested",
    summary: "A merchant asked to authenticate a purchase",
    ...of(ids.authentication, AuthenticationData, challenge),
  },
  [EventType.authenticationCompleted]: {
    type: "authentication.completed",
    summary: "An authentication is decided",
    ...of(ids.authentication, AuthenticationData.extend({ authenticated: z.boolean() }), {
      ...challenge,
      ...{ state: "authenticated", decidedBy: "cardholder", eci: "05", liabilityShift: true },
      ...{ dateDecided: madeAt, authenticated: true },
    }),
  },
  [EventType.expectationChanged]: {
    type: "deposit.expectation_changed",
    summary: "The bank has reported an announced deposit, or it was cancelled or has expired",
    ...of(ids.deposit, ExpectationData, {
      ...settled,
      ...{ status: DepositStatus.cleared, amount: 49_000, announcedAmount: 50_000 },
      ...{ expiresAt: "2026-11-16T09:30:00.000Z", creditorReference: "RF55KU5Q2Q2GJ8R5V0K3D7F9Y" },
      expectation: "claimed",
    }),
  },
  [EventType.balanceChanged]: {
    type: "balance.changed",
    summary: "An entry or a hold changed a balance of a Card or Wallet",
    ...of(ids.card, BalanceData, {
      cardId: ids.card,
      availableBalance: 15_001,
      ledgerBalance: 20_000,
      currency: Currency.usd,
      cause: "hold_placed",
      relatedId: ids.transaction,
    }),
  },
  [EventType.payoutChanged]: {
    type: "payout.changed",
    summary: "A payout was created, or its status changed",
    ...of(ids.payout, PayoutView, payout),
  },
  [EventType.pullChanged]: {
    type: "pull.changed",
    summary: "A pull was created, or its status changed",
    ...of(ids.pull, PullView, pull),
  },
  [EventType.reportFinished]: {
    type: "report.finished",
    summary: "A report was made, or failed",
    ...of(ids.report, ReportData, report),
  },
  [EventType.bulkFinished]: {
    type: "bulk.finished",
    summary: "Each line of a bulk has a result",
    ...of(ids.bulk, BulkView, bulk),
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

export function chosenBody(eventType: ChosenEventType): z.ZodObject {
  const { type, data } = chosenNotifications[eventType];
  return z.object({
    eventId: id("notification"),
    eventType: z.literal(eventType),
    type: z.literal(type),
    programId: id("program"),
    subjectId: z.string(),
    dateCreated: timestamp,
    data,
  });
}

export const chosenEventTypes = Object.keys(chosenNotifications).map(Number) as ChosenEventType[];

export function chosenExample(eventType: ChosenEventType): object {
  const { type, example } = chosenNotifications[eventType];
  return {
    eventId: "ntf_01K5Q2T5XB6E8H1P3M9S0V4KYD",
    eventType,
    type,
    programId: "prg_01K5Q2J3WC9F4A6T8Y0N2R5GDM",
    subjectId: example.subjectId,
    dateCreated: madeAt,
    data: example.data,
  };
}
