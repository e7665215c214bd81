import "../../shared/ledger/hot/door.ts";
import { authentications, toAuthenticationView } from "../../shared/authentications/authentication.ts";
import { toAuthorizationView } from "../../shared/authorizations/authorization-view.ts";
import { holds } from "../../shared/authorizations/holds/hold.ts";
import { heldMinor } from "../../shared/authorizations/holds/hold-rules.ts";
import { bulks } from "../../shared/bulk/bulk.ts";
import { cardholders } from "../../shared/cardholders/cardholder.ts";
import { cards } from "../../shared/cards/card.ts";
import { toCreditorReference } from "../../shared/contract/creditor-reference.ts";
import type { Currency } from "../../shared/contract/enums.ts";
import { controls } from "../../shared/controls/control.ts";
import { deposits } from "../../shared/deposits/deposit.ts";
import { toDepositId } from "../../shared/deposits/settle-suspense.ts";
import { suspenseItems } from "../../shared/deposits/suspense.ts";
import { disputes } from "../../shared/disputes/dispute.ts";
import { externalAccounts } from "../../shared/external-accounts/external-account.ts";
import { readAccount } from "../../shared/ledger/hot-wallets.ts";
import { eventRecords } from "../../shared/network-events/plan.ts";
import { readNotification } from "../../shared/notifications/stored-notification.ts";
import { isOfKind } from "../../shared/payments/payment.ts";
import { paymentFiles } from "../../shared/payments/payment-file.ts";
import { payouts } from "../../shared/payments/payout.ts";
import { pulls, returnableUntil } from "../../shared/payments/pull.ts";
import { reports } from "../../shared/reports/report.ts";
import { tokens } from "../../shared/tokens/token.ts";
import { toAvs } from "../../shared/verification/presentation.ts";
import { wallets } from "../../shared/wallets/wallet.ts";
import { codeLabel } from "./labels.ts";
import type { Item } from "./page.ts";
import { toNames } from "./record-fields.ts";
import { money, toCell } from "./values.ts";

/** How a kind of record is shown. */
export interface RecordView {
  /** Its name in a sentence. */
  readonly title: string;
  /** What people call one: pages begin with it, and show the id further down. */
  readonly name?: (item: Item) => string;
  /** The attributes that are shown, and no others. A dot leads into an object. */
  readonly fields: readonly string[];
  read(programId: string, id: string): Promise<Item | undefined>;
  /** What is listed of it: names in `list-views.ts`. */
  readonly lists?: readonly string[];
  /** It has a journal of its own. */
  readonly hasJournal?: true;
}

const balances = "availableMinor heldMinor pendingDepositMinor ledgerMinor";
const readBalances = async (programId: string, kind: "card" | "wallet", accountId: string) =>
  (await readAccount(programId, { kind, accountId }, { mayWrite: false })) ?? {};

const toAmount = ({ amountMinor, currency }: Item) =>
  money(Number(amountMinor), currency as Currency | undefined);
const nameDeposit = (item: Item) => `${codeLabel(String(item.channel))}, ${toAmount(item)}`;

function nameMerchant({ merchant, requestedAmount, currency }: Item): string {
  const { merchantName } = Object(merchant) as { readonly merchantName?: string };
  const asked =
    requestedAmount === undefined ? undefined : money(Number(requestedAmount), currency as Currency);
  return [merchantName, asked].filter((part) => part !== undefined).join(", ");
}

/** What banks call a payment, and the file that has it. */
const paymentNames = "endToEndId reference fileId";

/** As it is held, and as callers see it. */
const authorization: RecordView = {
  title: "Authorization",
  name: nameMerchant,
  fields: toNames(`authorizationId cardId cardholderId status declineMessage requestedAmount closedBy
    outstandingMinor authorizedMinor releasedMinor clearedMinor refundedMinor merchant.merchantName
    merchant.mcc merchant.merchantCountry decisionEventId eventCount kind dueAt createdAt heldSince
    dateChanged`),
  read: async (programId, id) => {
    const hold = await holds.at(programId, id).get();
    if (!hold) return undefined;
    const { merchant: _, ...view } = toAuthorizationView(hold);
    return { ...view, ...hold, outstandingMinor: heldMinor(hold), dueAt: hold.dueAt?.split("#")[0] };
  },
};

/** By the name in a page's path. Personal data: a Cardholder's names, nothing more. */
export const recordViews: Readonly<Record<string, RecordView>> = {
  cards: {
    title: "Card",
    name: ({ lastFour, cardHolderLastName }) => `•••• ${String(lastFour)}, ${String(cardHolderLastName)}`,
    fields: toNames(`entityId cardholderId cardHolderLastName issuerCardStatus cardStatus blockedAt
      cardholderBlockedAt cardForm cardType lastFour creditorReference externalId shipping.status currency
      ${balances} entries createdAt`),
    read: async (programId, id) => {
      const card = await cards.at(programId, id).get();
      return card && { ...card, creditorReference: toCreditorReference(id) };
    },
    lists: ["transactions", "fees", "deposits", "controls", "tokens", "authentications", "accountUpdates"],
    hasJournal: true,
  },
  wallets: {
    title: "Wallet",
    name: ({ name }) => String(name),
    fields: toNames(`entityId name creditorReference currency ${balances} entries shards createdAt`),
    read: async (programId, id) => {
      const wallet = await wallets.at(programId, id).get();
      const balances = wallet && (await readBalances(programId, "wallet", id));
      return wallet && { ...wallet, ...balances, creditorReference: toCreditorReference(id) };
    },
    lists: ["walletTransactions", "transfers", "deposits"],
    hasJournal: true,
  },
  cardholders: {
    title: "Cardholder",
    // The family name first, as lists are sorted.
    name: ({ lastName, firstName }) => [lastName, firstName].filter((one) => one !== undefined).join(", "),
    fields: toNames(`entityId firstName lastName status openCards blockedAt kycRequirement kycAskedAt
      kycEndsAt externalId createdAt`),
    read: (programId, id) => cardholders.at(programId, id).get(),
    lists: ["cards", "controls"],
  },
  deposits: {
    title: "Deposit",
    name: nameDeposit,
    fields: toNames(`depositId suspenseId account status reason channel amountMinor returnedMinor currency
      chain asset txHash externalId transId pendingTransIdSc clearedTransIdSc clearsAt settledAt
      returnedAt createdAt`),
    // One that no account could take is in suspense only.
    read: async (programId, id) =>
      (await deposits.at(programId, id).get()) ?? (await suspenseItems.at(programId, id).get()),
  },
  suspense: {
    title: "Deposit in suspense",
    name: nameDeposit,
    fields: toNames(`suspenseId depositId account status reason channel amountMinor receivedCurrency
      changedAt createdAt`),
    read: (programId, id) => suspenseItems.at(programId, toDepositId(id)).get(),
  },
  authorizations: authorization,
  holds: authorization,
  controls: {
    title: "Spend control",
    name: ({ name }) => String(name),
    fields: toNames("entityId name cardId cardholderId state rules activatedAt countsFrom createdAt"),
    read: (programId, id) => controls.at(programId, id).get(),
    lists: ["counted"],
  },
  disputes: {
    title: "Dispute",
    name: (item) => `${toAmount(item)}, ${codeLabel(String(item.reason)).toLowerCase()}`,
    fields: toNames(`disputeId cardId transId referenceCode disputedType reason amountMinor creditedMinor
      liability.original liability.recovered liability.writtenOff liability.denied liability.remaining
      status deadlineAt creditDueAt createdAt changedAt`),
    read: (programId, id) => disputes.at(programId, id).get(),
  },
  tokens: {
    title: "Token",
    name: ({ wallet, createdAt }) => `${codeLabel(String(wallet))} of ${String(createdAt).slice(0, 10)}`,
    fields: toNames(`tokenId cardId cardholderId state wallet network requestorId requestorName
      tokenLastFour device.type risk outcome decidedBy declineReason reason lastStep.trigger lastStep.by
      transId createdAt activatedAt endedAt`),
    read: (programId, id) => tokens.at(programId, id).get(),
  },
  authentications: {
    title: "Authentication",
    name: ({ merchant, amountMinor, currency }) =>
      nameMerchant({ merchant, requestedAmount: amountMinor, currency }),
    fields: toNames(`authenticationId cardId cardholderId plasticId tokenId state amountMinor currency
      merchant.merchantName merchant.mcc merchant.merchantCountry channel exemptions avs decidedBy reason
      challenge.method challenge.expiresAt eci liabilityShift authorizationId dateCreated dateDecided`),
    read: async (programId, id) => {
      const found = await authentications.at(programId, id).get();
      if (!found) return undefined;
      const { verification, ...view } = toAuthenticationView(found);
      const avs = toAvs(verification.addressLine, verification.postalCode);
      return { ...view, merchant: found.merchant, amountMinor: found.amountMinor, avs };
    },
  },
  externalAccounts: {
    title: "External account",
    // Its holder need not be a Cardholder: people outside are on no page.
    name: ({ country, lastFour }) => `${String(country)} •••• ${String(lastFour)}`,
    fields: toNames(`entityId holderType lastFour accountType country currency status statusReason
      nameCheck method wrongAttempts cardholderId startedAt endsAt verifiedAt createdAt`),
    read: (programId, id) => externalAccounts.at(programId, id).get(),
  },
  payouts: {
    title: "Payout",
    name: toAmount,
    fields: toNames(`entityId status declineReason amountMinor feeMinor returnedMinor alsoReturnedMinor
      currency walletId externalAccountId ${paymentNames} externalId rejectedCode returnedCode createdBy
      approvedBy createdAt sentAt rejectedAt completedAt returnedAt`),
    read: async (programId, id) => (isOfKind("payout", id) ? payouts.at(programId, id).get() : undefined),
  },
  pulls: {
    title: "Pull",
    name: toAmount,
    fields: toNames(`entityId status declineReason amountMinor currency walletId externalAccountId
      mandateId mandate.sequence ${paymentNames} externalId depositId rejectedCode returnedCode createdBy
      collectOn createdAt sentAt rejectedAt collectedAt availableOn completedAt returnedAt returnableUntil`),
    read: async (programId, id) => {
      const pull = isOfKind("pull", id) ? await pulls.at(programId, id).get() : undefined;
      return pull && { ...pull, returnableUntil: returnableUntil(pull) };
    },
  },
  paymentFiles: {
    title: "Payment file",
    name: ({ kind, date }) => `${String(kind)} of ${String(date)}`,
    fields: toNames("fileId kind status count sumMinor date createdAt"),
    read: async (programId, id) => {
      const file = await paymentFiles.at(programId, id).get();
      // The Program's: the file has its name, not its code.
      return file && { ...file, currency: undefined };
    },
  },
  bulks: {
    title: "Bulk",
    name: ({ kind, lines }) => `${codeLabel(String(kind))}, ${String(lines)} lines`,
    fields: toNames(`entityId kind status lines done succeeded duplicates failed scope.apiUserId
      scope.role createdAt doneAt`),
    read: (programId, id) => bulks.at(programId, id).get(),
  },
  reports: {
    title: "Report",
    name: ({ reportKind, from }) => `${codeLabel(String(reportKind))} from ${String(from).slice(0, 10)}`,
    fields: toNames(`entityId reportKind format status from to timeZone asOf cardId cardholderId
      scheduleId progressPercent runsUntil rows bytes sha256 key createdAt doneAt`),
    read: (programId, id) => reports.at(programId, id).get(),
  },
  events: {
    title: "Event of a connected party",
    name: ({ kind }) => codeLabel(String(kind)),
    fields: toNames(`kind appliedAt result.outcome result.code result.approved result.declineReason
      result.controlId result.authorizationId result.transId result.feeId result.depositId
      result.suspenseId decision.decidedBy decision.reason decision.askedAt decision.answeredAt
      decision.decidedAt lateAnswer`),
    read: (programId, id) => eventRecords.at(programId, id).get(),
  },
  notifications: {
    title: "Notification",
    name: ({ eventType }) => Object(toCell({ kind: "notifications" }, "eventType", eventType)).text,
    fields: toNames("transIdSc eventType subjectId cardId bodySha256 createdAt"),
    read: (programId, id) => readNotification(programId, id),
  },
};

/** Empty for one without a name. */
export function findName(kind: string, item: Item): string {
  return recordViews[kind]?.name?.(item) ?? "";
}
