import { isDeepStrictEqual } from "node:util";
import { authentications, toAuthenticationView } from "../../../shared/authentications/authentication.ts";
import { toAuthorizationView, toEventView } from "../../../shared/authorizations/authorization-view.ts";
import { isAuthorization, toSums } from "../../../shared/authorizations/holds/history.ts";
import { type Hold, holds } from "../../../shared/authorizations/holds/hold.ts";
import { countEvents, readEvents } from "../../../shared/authorizations/holds/named-events.ts";
import { bulks, toBulkView } from "../../../shared/bulk/bulk.ts";
import {
  applicantFields,
  type Cardholder,
  cardholders,
  toCardholderView,
} from "../../../shared/cardholders/cardholder.ts";
import { type Card, cards } from "../../../shared/cards/card.ts";
import { toCardView } from "../../../shared/cards/card-view.ts";
import { isBlocked } from "../../../shared/cards/usable.ts";
import {
  type ChosenEventType,
  type ChosenNotification,
  chosenNotifications,
} from "../../../shared/contract/chosen-notifications.ts";
import {
  DepositStatus,
  DestinationType,
  EventType,
  TransactionStatus,
  TransferStatus,
} from "../../../shared/contract/enums.ts";
import { type Deposit, deposits } from "../../../shared/deposits/deposit.ts";
import { toDepositView } from "../../../shared/deposits/deposit-view.ts";
import {
  externalAccounts,
  toExternalAccountView,
} from "../../../shared/external-accounts/external-account.ts";
import { accounts, type StoredAccount, toBalances } from "../../../shared/ledger/account.ts";
import { payments } from "../../../shared/payments/payment.ts";
import { payouts, toPayoutView } from "../../../shared/payments/payout.ts";
import { pulls, toPullView } from "../../../shared/payments/pull.ts";
import { type Plastic, plastics } from "../../../shared/plastics/plastic.ts";
import { toPlasticView } from "../../../shared/plastics/plastic-view.ts";
import { reports, toReportItem } from "../../../shared/reports/report.ts";
import { tokens, toTokenView } from "../../../shared/tokens/token.ts";
import { type Transaction, transactions } from "../../../shared/transactions/transaction.ts";
import { getDestination, type Transfer, toTransferView } from "../../../shared/wallets/transfer.ts";
import type { ItemChange, Notice, Notices } from "./item-change.ts";

type About = Pick<Notice, "subjectId" | "cardId">;

/** The fields of the contract alone, in its order: a view may have more. */
function notice(eventType: ChosenEventType, about: About, view: object): Notice {
  const { shape } = (chosenNotifications[eventType] as Pick<ChosenNotification, "data">).data;
  const given = view as Readonly<Record<string, unknown>>;
  const data = Object.fromEntries(Object.keys(shape).map((name) => [name, given[name]]));
  const metadataOwnerId = "metadata" in shape && given.hasMetadata ? about.subjectId : undefined;
  return { eventType, ...about, data, metadataOwnerId };
}

/** By the kind of the item that changed. A row here and one in the contract are a new type. */
export const notices: Notices = {
  AUTHENTICATION: ofAuthentication,
  BULK: ofBulk,
  CARD: ofCard,
  CARDHOLDER: ofCardholder,
  DEPOSIT: ofDeposit,
  EXTERNAL_ACCOUNT: ofExternalAccount,
  HOLD: ofAuthorization,
  PAYMENT: ofPayment,
  "PLASTIC#": ofPlastic,
  PROGRAM_REPORT: ofReport,
  TOKEN: ofToken,
  "TRANSFER#": ofTransfer,
  WALLET: (change) => ofBalances(change, { walletId: change.ownerId }),
};

function ofCard(change: ItemChange): Notice[] {
  const [before, after] = [cards.parse(change.before), cards.parse(change.after)];
  const about = { subjectId: after.entityId, cardId: after.entityId };
  const view = toCardView(after);
  const tell = (eventType: ChosenEventType, more = {}) => notice(eventType, about, { ...view, ...more });
  const balances = ofBalances(change, { cardId: after.entityId });
  if (!before) return [tell(EventType.cardCreated), ...balances];
  const { cardStatus, issuerCardStatus } = before;
  const hasStatus = cardStatus === after.cardStatus && issuerCardStatus === after.issuerCardStatus;
  const isSame = isDeepStrictEqual(toCardView(before).shipping, view.shipping);
  const isSwept = after.sweptTo !== undefined && before.sweptTo === undefined;
  const swept = { walletId: after.sweptTo, amount: before.availableMinor - after.availableMinor };
  return [
    ...balances,
    ...(hasStatus ? [] : [tell(EventType.cardStatusChanged, { previous: { cardStatus, issuerCardStatus } })]),
    ...(isSwept ? [tell(EventType.cardSwept, swept)] : []),
    ...(after.remindedExpiry !== before.remindedExpiry ? [tell(EventType.cardExpiring)] : []),
    ...(after.plasticCount !== before.plasticCount ? [tell(EventType.cardReplaced)] : []),
    ...(isSame ? [] : [tell(EventType.cardShippingChanged)]),
    ...(isBlocked(after) && !isBlocked(before) ? [tell(EventType.cardBlocked)] : []),
    ...(isBlocked(before) && !isBlocked(after) ? [tell(EventType.cardUnblocked)] : []),
  ];
}

/**
 * The first one has an item from its replacement on, and was its Card before: without an end, it
 * did not change.
 */
async function ofPlastic(change: ItemChange, named: ReadonlySet<EventType>): Promise<Notice[]> {
  if (!named.has(EventType.plasticChanged)) return [];
  const [before, after] = [plastics.parse(change.before), plastics.parse(change.after)];
  const { plasticId: subjectId, cardId, state, sequence, endedAt } = after;
  const isFirst = before === undefined && sequence === 1 && endedAt === undefined;
  if (isFirst || before?.state === state) return [];
  const card = await cards.at(change.programId, cardId).require();
  return [notice(EventType.plasticChanged, { subjectId, cardId }, viewWithoutCard(card, after))];
}

/** The Card may be closed by now, which is another change. */
function viewWithoutCard(card: Card, plastic: Plastic): object {
  const { state } = plastic;
  return { ...toPlasticView(card, plastic), state, dateEnded: plastic.endedAt };
}

/** What `PUT` changes. */
const editable = [...applicantFields, "altKycEnabled", "externalId", "metadataAt"] as const;

function ofCardholder(change: ItemChange): Notice[] {
  const [before, after] = [cardholders.parse(change.before), cardholders.parse(change.after)];
  const view = { ...toCardholderView(after), kycRequirement: after.kycRequirement };
  const about = { subjectId: after.entityId };
  const tell = (eventType: ChosenEventType, more = {}) => notice(eventType, about, { ...view, ...more });
  if (!before) return [tell(EventType.cardholderCreated)];
  const of = (cardholder: Cardholder, name: string) => (cardholder as Record<string, unknown>)[name];
  const changed = editable
    .filter((name) => !isDeepStrictEqual(of(before, name), of(after, name)))
    .map((name) => (name === "metadataAt" ? "metadata" : name));
  const { status: previousStatus } = before;
  const [wasBlocked, isNow] = [before.blockedAt !== undefined, after.blockedAt !== undefined];
  return [
    ...(changed.length > 0 ? [tell(EventType.cardholderUpdated, { changed })] : []),
    ...(previousStatus === after.status ? [] : [tell(EventType.cardholderStatusChanged, { previousStatus })]),
    ...(isNow && !wasBlocked ? [tell(EventType.cardholderBlocked)] : []),
    ...(wasBlocked && !isNow ? [tell(EventType.cardholderUnblocked)] : []),
  ];
}

/** One that is decided at once is told of twice: it was made, and it is decided. */
function ofAuthentication(change: ItemChange): Notice[] {
  const [before, after] = [authentications.parse(change.before), authentications.parse(change.after)];
  const { entityId: subjectId, cardId, state, challengeId, expiresAt } = after;
  const isDecided = state !== "challenged";
  const ofPasscode = challengeId === undefined ? {} : { challengeId, expiresAt };
  const authenticated = state === "authenticated";
  const view = { ...toAuthenticationView(after), ...ofPasscode, authenticated };
  const tell = (eventType: ChosenEventType) => notice(eventType, { subjectId, cardId }, view);
  return [
    ...(before ? [] : [tell(EventType.authenticationRequested)]),
    ...(isDecided && before?.state !== state ? [tell(EventType.authenticationCompleted)] : []),
  ];
}

function ofToken(change: ItemChange): Notice[] {
  const [before, after] = [tokens.parse(change.before), tokens.parse(change.after)];
  const about = { subjectId: after.tokenId, cardId: after.cardId };
  const view = toTokenView(after);
  if (!before) return [notice(EventType.tokenRequested, about, view)];
  const { state: previousState } = before;
  return previousState === after.state
    ? []
    : [notice(EventType.tokenStatusChanged, about, { ...view, previousState })];
}

function ofExternalAccount(change: ItemChange): Notice[] {
  const [before, after] = [externalAccounts.parse(change.before), externalAccounts.parse(change.after)];
  const { externalAccountId: subjectId, status } = after;
  if (before === undefined || before.status === status) return [];
  const view = { ...toExternalAccountView(after), previousStatus: before.status };
  return [notice(EventType.externalAccountChanged, { subjectId }, view)];
}

const depositTypes = {
  [DepositStatus.pending]: EventType.accountDepositPending,
  [DepositStatus.cleared]: EventType.accountDepositCleared,
  [DepositStatus.reversed]: EventType.accountDepositReversed,
  [DepositStatus.returned]: EventType.accountDepositReturned,
} as const;

function ofDeposit(change: ItemChange): Notice[] {
  const [before, after] = [deposits.parse(change.before), deposits.parse(change.after)];
  const { depositId: subjectId, status } = after;
  const { cardId } = toDepositView(after);
  const tell = (eventType: ChosenEventType) => notice(eventType, { subjectId, cardId }, toDepositView(after));
  const expectation = before && findExpectation(before, after);
  const expected = expectation
    ? [notice(EventType.expectationChanged, { subjectId, cardId }, { ...toDepositView(after), expectation })]
    : [];
  if (before?.status !== status) return [tell(depositTypes[status]), ...expected];
  const isReturnedInPart = before.returnedMinor !== after.returnedMinor;
  return [...(isReturnedInPart ? [tell(EventType.accountDepositReturned)] : []), ...expected];
}

/** How this change has ended what a client announced, if it has. */
function findExpectation(before: Deposit, after: Deposit) {
  const { expiresAt, status, settledAt = "" } = after;
  if (expiresAt === undefined) return undefined;
  if (after.isReported && !before.isReported) return "claimed";
  if (status !== DepositStatus.reversed || before.status === status) return undefined;
  return settledAt < expiresAt ? "cancelled" : "expired";
}

/** The event is a record of the same commit, which the hold names, or which is its first. */
async function ofAuthorization(change: ItemChange, named: ReadonlySet<EventType>): Promise<Notice[]> {
  const isWanted = named.has(EventType.authorizationDeclined) || named.has(EventType.authorizationReleased);
  if (!isWanted) return [];
  const [before, after] = [holds.parse(change.before), holds.parse(change.after)];
  if (!isAuthorization(after)) return [];
  const transaction = await findEvent(before, after);
  if (!transaction) return [];
  const releasedMinor = toSums(after).releasedMinor - (before ? toSums(before).releasedMinor : 0);
  const { authorizationId: subjectId, cardId } = after;
  const view = { ...toAuthorizationView(after), event: toEventView(transaction) };
  const tell = (eventType: ChosenEventType): Notice => ({
    ...notice(eventType, { subjectId, cardId }, view),
    madeAt: transaction.createdAt,
  });
  const isDeclined = transaction.transStatus === TransactionStatus.declined;
  return [
    ...(isDeclined ? [tell(EventType.authorizationDeclined)] : []),
    ...(releasedMinor > 0 ? [tell(EventType.authorizationReleased)] : []),
  ];
}

async function findEvent(before: Hold | undefined, after: Hold): Promise<Transaction | undefined> {
  if (countEvents(after) === (before ? countEvents(before) : 0)) return undefined;
  const names = ({ events = [], disputable = [] }: Partial<Hold> = {}) => [...events, ...disputable];
  const known = new Set(names(before));
  const transId = names(after).findLast((name) => !known.has(name));
  if (transId === undefined) return (await readEvents(after)).at(0);
  return transactions.at(after.programId, after.cardId, transId).get();
}

const transferTypes: Partial<Record<TransferStatus, ChosenEventType>> = {
  [TransferStatus.approved]: EventType.transferCompleted,
  [TransferStatus.partial]: EventType.transferCompleted,
  [TransferStatus.declined]: EventType.transferDeclined,
};

/** Each Wallet that it touches has a copy: the first of them tells. */
function ofTransfer({ before, after, ownerId }: ItemChange): Notice[] {
  const transfer = after as unknown as Transfer;
  const { transferId: subjectId, transStatus, sourceWalletId, sourceCardId, destinationId } = transfer;
  const eventType = transferTypes[transStatus];
  if (ownerId !== (sourceWalletId ?? destinationId)) return [];
  if (eventType === undefined || before?.transStatus === transStatus) return [];
  const isLoad = transfer.destinationType === DestinationType.card;
  const cardId = isLoad ? getDestination(transfer).accountId : sourceCardId;
  const tell = (type: ChosenEventType) => notice(type, { subjectId, cardId }, toTransferView(transfer));
  const isFailedTopUp = transfer.automatic && transStatus === TransferStatus.declined;
  return [tell(eventType), ...(isFailedTopUp ? [tell(EventType.topUpFailed)] : [])];
}

/** A change that leaves the status, such as a rejection that came too late, is not told. */
function ofPayment(change: ItemChange): Notice[] {
  const kind = payments.parse(change.after)?.kind;
  if (kind === "pull") return ofPull(change);
  if (kind !== "payout") return [];
  const [before, after] = [payouts.parse(change.before), payouts.parse(change.after)];
  if (before?.status === after.status) return [];
  return [notice(EventType.payoutChanged, { subjectId: after.paymentId }, toPayoutView(after))];
}

function ofPull(change: ItemChange): Notice[] {
  const [before, after] = [pulls.parse(change.before), pulls.parse(change.after)];
  if (before?.status === after.status) return [];
  return [notice(EventType.pullChanged, { subjectId: after.paymentId }, toPullView(after))];
}

function ofReport(change: ItemChange): Notice[] {
  const [before, after] = [reports.parse(change.before), reports.parse(change.after)];
  if (before?.status !== "running" || after.status === "running") return [];
  return [notice(EventType.reportFinished, { subjectId: after.entityId }, toReportItem(after))];
}

function ofBulk(change: ItemChange): Notice[] {
  const [before, after] = [bulks.parse(change.before), bulks.parse(change.after)];
  if (before?.status !== "running" || after.status === "running") return [];
  return [notice(EventType.bulkFinished, { subjectId: after.entityId }, toBulkView(after))];
}

const nothing = { availableMinor: 0, ledgerMinor: 0, entries: 0 };

/**
 * One for each entry that the item counts, with the balances after it. The parts of a hot Wallet
 * are not the Wallet: while there are some, nothing is told (`hot/split-wallet.ts`).
 */
function ofBalances(change: ItemChange, id: { cardId: string } | { walletId: string }): Notice[] {
  const after: StoredAccount = accounts.wallet.parse(change.after);
  const stored = accounts.wallet.parse(change.before);
  const before = stored ?? nothing;
  if (after.shards || stored?.shards || before.entries === after.entries) return [];
  const [subjectId = ""] = Object.values(id);
  let { availableMinor, ledgerMinor } = before;
  const entries = (after.moved ?? "").split(";").map((part) => part.split(" "));
  return entries.flatMap(([cause, relatedId, available, ledger], index) => {
    const seen = { availableMinor, ledgerMinor };
    const isLast = index === entries.length - 1;
    availableMinor = isLast ? after.availableMinor : Number(available);
    ledgerMinor = isLast ? after.ledgerMinor : Number(ledger);
    if (isDeepStrictEqual(seen, { availableMinor, ledgerMinor })) return [];
    const balances = toBalances({ ...after, availableMinor, ledgerMinor });
    const view = { ...id, ...balances, currency: after.currency, cause, relatedId };
    return [notice(EventType.balanceChanged, { subjectId, ...id }, view)];
  });
}
