import { z } from "zod";
import { type ChosenEventType, chosenNotifications } from "../../../shared/contract/chosen-notifications.ts";
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
} from "../../../shared/contract/enums.ts";
import { id, timestamp } from "../../../shared/contract/primitives.ts";

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

type Example = readonly [subjectId: string, data: object];

/** What a body of each type is about, and its `data`. */
export const chosenExamples: Readonly<Record<ChosenEventType, Example>> = {
  [EventType.cardholderCreated]: [ids.cardholder, { ...cardholder, status: CardholderStatus.draft }],
  [EventType.cardholderStatusChanged]: [
    ids.cardholder,
    {
      ...cardholder,
      previousStatus: CardholderStatus.underReview,
    },
  ],
  [EventType.cardholderUpdated]: [ids.cardholder, { ...cardholder, changed: ["email", "phone"] }],
  [EventType.cardholderBlocked]: [ids.cardholder, cardholder],
  [EventType.cardholderUnblocked]: [ids.cardholder, cardholder],
  [EventType.cardCreated]: [ids.card, card],
  [EventType.cardStatusChanged]: [
    ids.card,
    {
      ...card,
      issuerCardStatus: CardStatus.onHold,
      previous: { cardStatus: CardApprovalStatus.approved, issuerCardStatus: CardStatus.active },
    },
  ],
  [EventType.cardBlocked]: [ids.card, { ...card, blocked: true }],
  [EventType.cardUnblocked]: [ids.card, card],
  [EventType.cardShippingChanged]: [
    ids.card,
    {
      ...card,
      cardForm: CardForm.physical,
      shipping: { status: "shipped", trackingNumber: "TRACK-1", carrier: "Post", dateUpdated: madeAt },
    },
  ],
  [EventType.cardExpiring]: [ids.card, { ...card, expiryMonth: 12, expiryYear: 2026 }],
  [EventType.cardReplaced]: [
    ids.card,
    { ...card, plasticId: ids.plastic, maskedCardNumber: "400000******5678" },
  ],
  [EventType.plasticChanged]: [ids.plastic, plastic],
  [EventType.transferCompleted]: [ids.transfer, transfer],
  [EventType.transferDeclined]: [
    ids.transfer,
    {
      ...transfer,
      transStatus: TransferStatus.declined,
      transferredAmount: 0,
      declineReason: "INSUFFICIENT_FUNDS",
    },
  ],
  [EventType.externalAccountChanged]: [
    ids.externalAccount,
    {
      ...{ externalAccountId: ids.externalAccount, status: "failed", previousStatus: "pending" },
      ...{ statusReason: "NAME_MISMATCH", holderType: "person", lastFour: "3000", country: "DE" },
      ...{ currency: Currency.eur, nickname: "Rent", nameCheck: "no_match" },
      dateCreated: "2026-11-20T08:00:00.000Z",
    },
  ],
  [EventType.topUpFailed]: [
    ids.transfer,
    {
      ...transfer,
      transStatus: TransferStatus.declined,
      transferredAmount: 0,
      declineReason: "INSUFFICIENT_FUNDS",
      automatic: true,
    },
  ],
  [EventType.cardSwept]: [
    ids.card,
    {
      ...card,
      issuerCardStatus: CardStatus.closed,
      walletId: ids.wallet,
      amount: 1_250,
    },
  ],
  [EventType.accountDepositPending]: [ids.deposit, deposit],
  [EventType.accountDepositCleared]: [ids.deposit, { ...settled, status: DepositStatus.cleared }],
  [EventType.accountDepositReversed]: [ids.deposit, { ...settled, status: DepositStatus.reversed }],
  [EventType.accountDepositReturned]: [ids.deposit, { ...settled, status: DepositStatus.returned }],
  [EventType.authorizationDeclined]: [authorization.authorizationId, { ...authorization, event: declined }],
  [EventType.authorizationReleased]: [
    authorization.authorizationId,
    {
      ...{ ...authorization, status: "reversed", requestedAmount: 4_999, authorizedAmount: 4_999 },
      ...{ releasedAmount: 4_999, declineReason: undefined, declineMessage: undefined, event: released },
    },
  ],
  [EventType.tokenRequested]: [ids.token, token],
  [EventType.tokenStatusChanged]: [
    ids.token,
    {
      ...{ ...token, state: "suspended", reason: "Phone lost", previousState: "active" },
    },
  ],
  [EventType.authenticationRequested]: [ids.authentication, challenge],
  [EventType.authenticationCompleted]: [
    ids.authentication,
    {
      ...challenge,
      ...{ state: "authenticated", decidedBy: "cardholder", eci: "05", liabilityShift: true },
      ...{ dateDecided: madeAt, authenticated: true },
    },
  ],
  [EventType.expectationChanged]: [
    ids.deposit,
    {
      ...settled,
      ...{ status: DepositStatus.cleared, amount: 49_000, announcedAmount: 50_000 },
      ...{ expiresAt: "2026-11-16T09:30:00.000Z", creditorReference: "RF55KU5Q2Q2GJ8R5V0K3D7F9Y" },
      expectation: "claimed",
    },
  ],
  [EventType.balanceChanged]: [
    ids.card,
    {
      cardId: ids.card,
      availableBalance: 15_001,
      ledgerBalance: 20_000,
      currency: Currency.usd,
      cause: "hold_placed",
      relatedId: ids.transaction,
    },
  ],
  [EventType.payoutChanged]: [ids.payout, payout],
  [EventType.pullChanged]: [ids.pull, pull],
  [EventType.reportFinished]: [ids.report, report],
  [EventType.bulkFinished]: [ids.bulk, bulk],
};

/** A whole body of the type. */
export function chosenExample(eventType: ChosenEventType): object {
  const { type } = chosenNotifications[eventType];
  const [subjectId, data] = chosenExamples[eventType];
  return {
    eventId: "ntf_01K5Q2T5XB6E8H1P3M9S0V4KYD",
    eventType,
    type,
    programId: "prg_01K5Q2J3WC9F4A6T8Y0N2R5GDM",
    subjectId,
    dateCreated: madeAt,
    data,
  };
}

/** The schema of the body of a notification. `eventId` is also the `webhook-id`. */
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
