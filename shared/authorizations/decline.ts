import { type Card, hasStatusIn } from "../cards/card.ts";
import { findUnusable, isStillBlocked, isUsableAt } from "../cards/usable.ts";
import type { DecidedBy } from "../contract/authorization-endpoint.ts";
import { CardStatus, TransactionStatus, TransactionType } from "../contract/enums.ts";
import type { AuthorizationDeclineReason } from "../contract/transactions.ts";
import type { AccountCondition } from "../ledger/account.ts";
import type { AskedCardEvent, CardEvent, CardEventOf } from "../network-events/card-event.ts";
import { findAvailable } from "../network-events/funding.ts";
import {
  type CardPlan,
  type CardSubject,
  newTransaction,
  type OfAccount,
  type OfControls,
  type OfEndpoint,
  type OfHold,
  type OfPresented,
  toMerchant,
} from "../network-events/plan.ts";
import { all, atLeast, below, isNew } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import type { Refusal } from "../transactions/transaction.ts";
import { holds } from "./holds/hold.ts";

/** Why the network is declined, and what must still hold when the decline is recorded. */
export interface Decline {
  readonly reason: AuthorizationDeclineReason;
  /** The control, if one declines. What it has counted needs no condition: it was so when read. */
  readonly controlId?: string;
  readonly refusal?: Refusal;
  /** What was reported of a plastic that is stopped. */
  readonly stoppedFor?: "lost" | "stolen" | undefined;
  readonly isUncertain?: boolean;
  /** The platform, where the Program has an authorization endpoint, unless it is said. */
  readonly decidedBy?: DecidedBy;
  readonly require?: AccountCondition;
}

type Usable = CardSubject & OfAccount & OfPresented & OfHold & OfControls;

/** The Card is usable, and so is what the event is made with. */
export function isUsable({ at, presented: { requires } = {} }: Usable): AccountCondition {
  return requires ? all(isUsableAt(at), requires) : isUsableAt(at);
}

/** Usable, with the amount available: a Wallet that pays has its own condition. */
export function isUsableWithFunds(subject: Usable, amountMinor: number): AccountCondition {
  if (subject.funding?.walletId !== undefined) return isUsable(subject);
  return all(isUsable(subject), { availableMinor: atLeast(amountMinor) });
}

/**
 * Undefined if card and plastic are usable, the Card's limit leaves what is spent, and what pays
 * has the amount, as far as it is read. `spentMinor`: without fees.
 */
export function findDecline(
  subject: Usable,
  card: Card | undefined,
  amountMinor: number,
  spentMinor = amountMinor,
): Decline | undefined {
  const unusable = card && findUnusableCard(subject, card);
  return unusable ?? findAboveLimit(subject, spentMinor) ?? findLack(subject, card, amountMinor);
}

/** What was counted needs no condition: it was so when it was read. */
function findAboveLimit(subject: Usable, spentMinor: number): Decline | undefined {
  const refusal = subject.controls?.findExceededLimit(subject, spentMinor);
  return refusal && { reason: "SPEND_LIMIT", refusal, require: isUsable(subject) };
}

function findUnusableCard({ at, presented }: Usable, card: Card): Decline | undefined {
  if (presented?.refused) return presented.refused;
  const reason = findUnusable(card, at);
  // An expired card stays expired: nothing to require.
  if (!reason || reason === "CARD_EXPIRED") return reason && { reason };
  const require = reason === "CARD_BLOCKED" ? isStillBlocked : hasStatusIn([card.issuerCardStatus]);
  return { reason, require };
}

/** The whole Wallet lacked it when it was read, since the event came: that needs no condition. */
function findLack(subject: Usable, card: Card | undefined, amountMinor: number): Decline | undefined {
  const availableMinor = findAvailable({ ...subject, account: card });
  if (availableMinor === undefined || availableMinor >= amountMinor) return undefined;
  const isOfWallet = subject.funding?.walletId !== undefined;
  // What adds nothing is not declined where the Wallet is unread: nor if it is below zero.
  if (isOfWallet && amountMinor <= 0) return undefined;
  const refusal = { availableMinor };
  if (isOfWallet) return { reason: "INSUFFICIENT_FUNDS", refusal, require: isUsable(subject) };
  return {
    reason: "INSUFFICIENT_FUNDS",
    refusal,
    require: all(hasStatusIn([CardStatus.active]), { availableMinor: below(amountMinor) }),
  };
}

/** Why a purchase with such a token, say, is declined: for the Card's own reason, or for that. */
export function findLastDecline(subject: Usable): Decline | undefined {
  const { account, presented } = subject;
  if (!presented?.refusedLast) return undefined;
  return findDecline(subject, account, Number.NEGATIVE_INFINITY) ?? presented.refusedLast;
}

type Subject = CardSubject<AskedCardEvent> & OfHold & OfControls;
type Noted = CardEventOf<"balance_inquiry" | "refund_authorization">;
type Declinable = CardSubject<AskedCardEvent | Noted> & OfEndpoint;

export function controlDecline(subject: Subject, amountMinor: number): Decline | undefined {
  const found = subject.controls?.findDecline(subject, amountMinor);
  return found && { reason: "CONTROL_DECLINED", ...found };
}

export function planDecline(
  subject: Declinable,
  decline: Decline,
  description: string,
  { writes = [], transId }: { writes?: readonly WriteAction[]; transId?: string | undefined } = {},
): CardPlan {
  const { event } = subject;
  const { reason, controlId, refusal, stoppedFor, isUncertain, require } = decline;
  const { decidedBy = subject.endpoint && "platform" } = decline;
  const { authorizationId } = "authorizationId" in event ? event : {};
  const why = { declineReason: reason, controlId, decidedBy, authorizationId };
  const transaction = newTransaction(subject, {
    transType: TransactionType.authorization_declined,
    transStatus: TransactionStatus.declined,
    type: "DR",
    amountMinor: "amount" in event ? event.amount : 0,
    description,
    merchant: toMerchant(event),
    ...why,
    refusal,
    transId,
  });
  return {
    transaction,
    entryKind: "hold_placed",
    postings: [],
    relatedId: transaction.transId,
    require,
    writes,
    outboxKind: "authorization.declined",
    result: { approved: false, ...why, stoppedFor, amount: 0 },
    isUncertain,
  };
}

/** Requires that the reversal of an increment has not come before it. */
export function ownHoldChecks({
  programId,
  incrementId,
}: Pick<CardEvent, "programId"> & { readonly incrementId?: string | undefined }): WriteAction[] {
  if (incrementId === undefined) return [];
  return [{ ...holds.at(programId, incrementId).check(isNew), name: "ownHold" }];
}
