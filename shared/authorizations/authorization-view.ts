import type { AuthorizationEventView, AuthorizationView } from "../contract/authorizations.ts";
import { TransactionStatus } from "../contract/enums.ts";
import { timestamp } from "../platform/clock.ts";
import { toOtherId } from "../platform/id.ts";
import { pick } from "../platform/pick.ts";
import { type Transaction, toShownMerchant } from "../transactions/transaction.ts";
import { isListed } from "../transactions/transaction-rules.ts";
import { toVerificationView } from "../verification/presentation.ts";
import { declineMessage } from "./decline-message.ts";
import { type Added, findStatus, toAdded, toSums } from "./holds/history.ts";
import type { Hold } from "./holds/hold.ts";
import { heldMinor, holdDueAt, outstandingMinor } from "./holds/hold-rules.ts";
import { changedAt, countEvents } from "./holds/named-events.ts";

/** `status`: that of the list that names it. */
export function toAuthorizationView(hold: Hold, status = findStatus(hold)): AuthorizationView {
  const { merchant, decline } = hold;
  const { requestedMinor, ...sums } = toSums(hold);
  return {
    ...pick(hold, "authorizationId", "cardId", "cardholderId"),
    status,
    requestedAmount: requestedMinor,
    ...toAmounts(sums),
    remainingAmount: heldMinor(hold),
    currency: hold.currency,
    merchant: toShownMerchant(merchant),
    ...(merchant.srcCurrency !== undefined && {
      merchantAmount: merchant.srcAmount,
      merchantCurrency: merchant.srcCurrency,
    }),
    ...pick(hold, "entryMode", "plasticId"),
    verification: toVerificationView({ ...hold, failedCheck: decline?.reason }),
    ...(status === "declined" &&
      decline && {
        declineReason: decline.reason,
        declineMessage: declineMessage({
          ...{ ...hold, ...merchant, ...decline },
          what: "authorization",
          wallet: hold.verification?.wallet,
        }),
        controlId: decline.controlId,
      }),
    decidedBy: hold.decidedBy,
    eventCount: countEvents(hold),
    dateCreated: hold.createdAt,
    dateChanged: changedAt(hold),
    ...(outstandingMinor(hold) > 0 && { expiresAt: timestamp(holdDueAt(hold)) }),
  };
}

function toAmounts({ authorizedMinor, releasedMinor, clearedMinor, refundedMinor }: Added) {
  return {
    authorizedAmount: authorizedMinor,
    releasedAmount: releasedMinor,
    clearedAmount: clearedMinor,
    refundedAmount: refundedMinor,
  };
}

const types: Readonly<Record<string, AuthorizationEventView["type"]>> = {
  authorization: "authorization",
  authorization_advice: "advice",
  authorization_incremental: "increment",
  authorization_reversal: "reversal",
  authorization_expiry: "expiry",
  clearing: "clearing",
};

/** What a transaction of the authorization says of it. */
export function toEventView(transaction: Transaction): AuthorizationEventView {
  const { transId, transStatus, amountMinor, event, decidedBy, createdAt } = transaction;
  const { declineReason: reason, controlId } = transaction;
  // What gave back a posted purchase has no event of its own.
  const type = event?.total ? "total" : (types[event?.kind ?? ""] ?? "reversal");
  return {
    eventId: toOtherId("event", transId),
    type,
    outcome: transStatus === TransactionStatus.declined ? "declined" : "approved",
    amount: event?.amount ?? amountMinor,
    ...toAmounts(toAdded(transaction)),
    ...(isListed(transaction) && { transId }),
    ...(reason && {
      declineReason: reason,
      declineMessage: declineMessage({ ...toDeclined(transaction, type), reason }),
      controlId,
    }),
    decidedBy,
    dateCreated: createdAt,
  };
}

function toDeclined(transaction: Transaction, type: AuthorizationEventView["type"]) {
  const { srcCurrency, event } = transaction;
  const what = type === "increment" ? ("increment" as const) : ("authorization" as const);
  return {
    ...transaction,
    what,
    srcCurrency,
    entryMode: event?.entryMode,
    wallet: event?.verification?.wallet,
  };
}
