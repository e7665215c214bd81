import { type Card, hasStatusIn, isBlocked, isExpired, isStillBlocked, isUsableAt } from "../cards/card.ts";
import type { DecidedBy } from "../contract/authorization-endpoint.ts";
import { CardStatus, TransactionStatus, TransactionType } from "../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { AccountCondition } from "../ledger/account.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  newTransaction,
  type OfControls,
  type OfEndpoint,
  type OfHold,
  toMerchant,
} from "../network-events/plan.ts";
import { all, atLeast, below } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { findControlDecline } from "./counted.ts";

/** Why the network is declined, and what must still hold when the decline is recorded. */
export interface Decline {
  readonly reason: AuthorizationDeclineReason;
  /** The control, if one declines. What it has counted needs no condition: it was so when read. */
  readonly controlId?: string;
  readonly isUncertain?: boolean;
  /** The platform, where the Program has an authorization endpoint, unless it is said. */
  readonly decidedBy?: DecidedBy;
  readonly require?: AccountCondition;
}

const declineReasons: Partial<Record<CardStatus, AuthorizationDeclineReason>> = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.onHold]: "CARD_ON_HOLD",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
};

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

type Decided = CardEventOf<"authorization" | "authorization_incremental" | "atm_withdrawal">;
type Subject = CardSubject<Decided> & OfHold & OfControls;
type Noted = CardEventOf<"balance_inquiry" | "refund_authorization">;
type Declinable = CardSubject<Decided | Noted> & OfEndpoint;

export function controlDecline(subject: Subject, amountMinor: number): Decline | undefined {
  const found = findControlDecline(subject, amountMinor);
  return found && { reason: "CONTROL_DECLINED", ...found };
}

export function planDecline(
  subject: Declinable,
  { reason, controlId, isUncertain, require, decidedBy = subject.endpoint && "platform" }: Decline,
  description: string,
  { writes = [], transId }: { writes?: readonly WriteAction[]; transId?: string | undefined } = {},
): CardPlan {
  const { event } = subject;
  const { authorizationId } = "authorizationId" in event ? event : {};
  const reference = authorizationId === undefined ? {} : { authorizationId };
  const why = {
    declineReason: reason,
    ...(controlId !== undefined && { controlId }),
    ...(decidedBy && { decidedBy }),
  };
  const transaction = newTransaction(subject, {
    transType: TransactionType.authorization_declined,
    transStatus: TransactionStatus.declined,
    type: "DR",
    amountMinor: "amount" in event ? event.amount : 0,
    description,
    merchant: toMerchant(event),
    ...reference,
    ...why,
    ...(transId !== undefined && { transId }),
  });
  return {
    transaction,
    entryKind: "hold_placed",
    postings: [],
    relatedId: transaction.transId,
    require,
    writes,
    outboxKind: "authorization.declined",
    result: { approved: false, ...why, ...reference, amount: 0 },
    ...(isUncertain && { isUncertain }),
  };
}
