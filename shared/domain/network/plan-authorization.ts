import { CardStatus, TransactionStatus, TransactionType } from "../../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../../contract/transactions.ts";
import { timestamp } from "../../platform/clock.ts";
import { all, atLeast, below } from "../../platform/table/condition.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import {
  type Card,
  hasStatusIn,
  isBlocked,
  isExpired,
  isNotBlocked,
  isStillBlocked,
  isValidAt,
} from "../cards/card.ts";
import {
  closeHold,
  emptyHold,
  type Hold,
  holdWrites,
  increaseHold,
  outstandingMinor,
} from "../holds/hold.ts";
import type { AccountCondition } from "../ledger/account.ts";
import { holdPlaced } from "../ledger/postings.ts";
import {
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  illegal,
  newTransaction,
  notFound,
  type Rejected,
  requiredSettings,
  toMerchant,
} from "./plan.ts";

type Authorization = CardSubject<CardEventOf<"authorization">>;
type Increment = CardSubject<CardEventOf<"authorization_incremental">>;
type Advice = CardSubject<CardEventOf<"authorization_advice">>;

/**
 * Approves if the card is usable and has the amount that the authorization adds to its hold. The
 * first commit decides by conditions; the account that failed them, between decline and part.
 */
export function planAuthorization(subject: Authorization): CardPlan | Rejected {
  const { event, at, hold, account } = subject;
  if (hold?.decided) return illegal;
  const before = holdBefore(subject, event.authorizationId);
  const addedMinor = addedHoldMinor(before, event.amount);
  if (hold && addedMinor === 0) return approve(subject, event.amount);
  const decline = account && findDecline(account, addedMinor, at);
  if (!account || !decline) return approve(subject, event.amount, isUsableWithFunds(addedMinor, at));
  const isPartial = mayBePartial(subject) && requiredSettings(subject).partialApproval;
  if (!isPartial) return declineAuthorization(subject, decline);
  const { availableMinor } = account;
  if (availableMinor > 0) {
    return approve(subject, availableMinor, all(isUsableAt(at), { availableMinor }));
  }
  return declineAuthorization(subject, {
    ...decline,
    require: all(...(decline.require ? [decline.require] : []), { availableMinor: below(1) }),
  });
}

/** Whether a partial approval is possible. The Program's settings then decide. */
export function mayBePartial({ event, hold, account, at }: Authorization): boolean {
  if (!event.partialApprovalSupported || hold || !account) return false;
  return findDecline(account, event.amount, at)?.reason === "INSUFFICIENT_FUNDS";
}

function approve(subject: Authorization, amountMinor: number, require?: AccountCondition): CardPlan {
  const { event } = subject;
  const merchant = toMerchant(event);
  const after = {
    ...increaseHold(holdBefore(subject, event.authorizationId), amountMinor),
    decided: true,
    merchant,
  };
  return placeHold(subject, after, {
    transType: TransactionType.authorization,
    amountMinor,
    description: event.merchantName ?? "Authorization",
    require,
  });
}

/** Later events of a declined authorization hold nothing, unless earlier ones did. */
function declineAuthorization(subject: Authorization, decline: Decline): CardPlan {
  const { event, hold, at } = subject;
  const before = holdBefore(subject, event.authorizationId);
  const after = { ...(hold ?? closeHold(before, "declined")), decided: true, merchant: toMerchant(event) };
  const description = event.merchantName ?? "Authorization";
  return planDecline(subject, decline, description, holdWrites(before, after, at));
}

/** Approved by the network: held whatever the card's status and balance. */
export function planAdvice(subject: Advice): CardPlan {
  const { event } = subject;
  const before = holdBefore(subject, event.authorizationId);
  const merchant = { ...before.merchant, ...toMerchant(event) };
  return placeHold(
    subject,
    { ...increaseHold(before, event.amount), merchant },
    {
      transType: event.standIn ? TransactionType.authorization_standin : TransactionType.authorization_advice,
      amountMinor: event.amount,
      description: event.merchantName ?? before.merchant.merchantName ?? "Authorization",
    },
  );
}

/** Adds to an authorization under the same conditions. A finished one takes no more. */
export function planIncrement(subject: Increment): CardPlan | Rejected {
  const { event, at, hold, account } = subject;
  if (!hold) return notFound;
  const description = event.merchantName ?? hold.merchant.merchantName ?? "Authorization";
  if (hold.closedBy) return planDecline(subject, { reason: "AUTHORIZATION_FINISHED" }, description);
  const addedMinor = addedHoldMinor(hold, event.amount);
  const decline = account && findDecline(account, addedMinor, at);
  if (decline) return planDecline(subject, decline, description);
  return placeHold(subject, increaseHold(hold, event.amount), {
    transType: TransactionType.authorization_incremental,
    amountMinor: event.amount,
    description,
    require: isUsableWithFunds(addedMinor, at),
  });
}

/** The hold as it is stored, or an empty one. */
export function holdBefore({ card, hold, at }: CardSubject, authorizationId: string): Hold {
  return hold ?? emptyHold(card, authorizationId, timestamp(at));
}

function addedHoldMinor(before: Hold, amountMinor: number): number {
  return outstandingMinor(increaseHold(before, amountMinor)) - outstandingMinor(before);
}

interface Placement {
  readonly transType: TransactionType;
  readonly amountMinor: number;
  readonly description: string;
  readonly require?: AccountCondition | undefined;
}

function placeHold(
  subject: Authorization | Advice | Increment,
  after: Hold,
  { require, ...fields }: Placement,
): CardPlan {
  const { event, card, at } = subject;
  const { authorizationId } = event;
  const before = holdBefore(subject, event.authorizationId);
  const placedMinor = outstandingMinor(after) - outstandingMinor(before);
  const transaction = newTransaction(subject, {
    ...fields,
    transStatus: TransactionStatus.pending,
    type: "DR",
    merchant: toMerchant(event),
    authorizationId,
  });
  return {
    transaction,
    entryKind: "hold_placed",
    postings: placedMinor > 0 ? holdPlaced(card.cardId, placedMinor) : [],
    relatedId: transaction.transId,
    require,
    writes: holdWrites(before, after, at),
    outboxKind: "hold.placed",
    detail: { placedMinor },
    result: { approved: true, authorizationId, amount: fields.amountMinor },
  };
}

/** Why the network is declined, and what must still hold when the decline is recorded. */
interface Decline {
  readonly reason: AuthorizationDeclineReason;
  readonly require?: AccountCondition;
}

const declineReasons: Partial<Record<CardStatus, AuthorizationDeclineReason>> = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.onHold]: "CARD_ON_HOLD",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
};

/** Active, not blocked, not expired. */
export function isUsableAt(at: Date): AccountCondition {
  return all(hasStatusIn([CardStatus.active]), isNotBlocked, isValidAt(at));
}

/** Usable, with the amount available. */
export function isUsableWithFunds(amountMinor: number, at: Date): AccountCondition {
  return all(isUsableAt(at), { availableMinor: atLeast(amountMinor) });
}

/** Undefined if the card is usable and has the amount. */
export function findDecline(card: Card, amountMinor: number, at: Date): Decline | undefined {
  const { issuerCardStatus, availableMinor } = card;
  if (isBlocked(card)) return { reason: "CARD_BLOCKED", require: isStillBlocked };
  const reason = declineReasons[issuerCardStatus];
  if (reason) return { reason, require: hasStatusIn([issuerCardStatus]) };
  // An expired card stays expired: nothing to require.
  if (isExpired(card, at)) return { reason: "CARD_EXPIRED" };
  if (availableMinor >= amountMinor) return undefined;
  return {
    reason: "INSUFFICIENT_FUNDS",
    require: all(hasStatusIn([CardStatus.active]), { availableMinor: below(amountMinor) }),
  };
}

export function planDecline(
  subject: Authorization | Increment | CardSubject<CardEventOf<"atm_withdrawal">>,
  { reason, require }: Decline,
  description: string,
  writes: readonly WriteAction[] = [],
): CardPlan {
  const { event } = subject;
  const reference = "authorizationId" in event ? { authorizationId: event.authorizationId } : {};
  const transaction = newTransaction(subject, {
    transType: TransactionType.authorization_declined,
    transStatus: TransactionStatus.declined,
    type: "DR",
    amountMinor: event.amount,
    description,
    merchant: toMerchant(event),
    ...reference,
    declineReason: reason,
  });
  return {
    transaction,
    entryKind: "hold_placed",
    postings: [],
    relatedId: transaction.transId,
    require,
    writes,
    outboxKind: "authorization.declined",
    result: { approved: false, declineReason: reason, ...reference, amount: 0 },
  };
}
