import { later, unread } from "../changes/change.ts";
import { TransactionStatus, TransactionType } from "../contract/enums.ts";
import type { AccountBalances, AccountCondition } from "../ledger/account.ts";
import { holdPlaced, holdReleased } from "../ledger/postings.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import { findSpendable } from "../network-events/funding.ts";
import {
  type CardPlan,
  type CardSubject,
  holdBefore,
  illegal,
  newTransaction,
  type OfAccount,
  type OfControls,
  type OfEndpoint,
  type OfHold,
  type OfPresented,
  type OfSettings,
  type Rejected,
  requiredSettings,
  toMerchant,
} from "../network-events/plan.ts";
import { notifyHold } from "../notifications/hold-notification.ts";
import { all, below } from "../platform/table/condition.ts";
import { countHold } from "./counted.ts";
import {
  controlDecline,
  type Decline,
  findDecline,
  findLastDecline,
  isUsable,
  isUsableWithFunds,
  ownHoldChecks,
  planDecline,
} from "./decline.ts";
import type { Hold } from "./holds/hold.ts";
import { closeHold, heldMinor, holdWrites, increaseHold, outstandingMinor } from "./holds/hold-rules.ts";

export type Asked = OfHold & OfAccount & OfPresented & OfControls & OfEndpoint;
type Authorization = CardSubject<CardEventOf<"authorization">> & Asked & OfSettings;

/**
 * Approves if the card is usable and has the amount that the authorization adds to its hold. The
 * first commit decides by conditions; the account that failed them, between decline and part.
 */
export function planAuthorization(subject: Authorization): CardPlan | Rejected {
  const { event, hold, account, funding } = subject;
  if (hold?.decided || hold?.withdrawal) return illegal;
  if (event.failedCheck) return declineAuthorization(subject, { reason: event.failedCheck });
  const named = findLastDecline(subject);
  if (named) return declineAuthorization(subject, named);
  if (event.amount === 0) return verifyAccount(subject);
  const before = holdBefore(subject, event.authorizationId);
  const addedMinor = addedHoldMinor(before, event.amount);
  const decline = addedMinor > 0 ? findDecline(subject, account, addedMinor) : undefined;
  if (!decline) {
    const require = addedMinor === 0 ? undefined : isUsableWithFunds(subject, addedMinor);
    return approveUnlessControlled(subject, event.amount, addedMinor, require);
  }
  const isPartial = mayBePartial(subject) && requiredSettings(subject).partialApproval;
  if (!isPartial) return declineAuthorization(subject, decline);
  const availableMinor = findSpendable(subject);
  const isOfWallet = funding?.walletId !== undefined;
  if (availableMinor > 0) {
    const require = isOfWallet
      ? isUsable(subject)
      : all<AccountBalances>(isUsable(subject), { availableMinor });
    return approveUnlessControlled(subject, availableMinor, availableMinor, require);
  }
  if (isOfWallet) return declineAuthorization(subject, decline);
  return declineAuthorization(subject, {
    ...decline,
    require: all(...(decline.require ? [decline.require] : []), { availableMinor: below(1) }),
  });
}

/** Whether the card is usable, whatever its balance, controls and receiver. */
function verifyAccount(subject: Authorization): CardPlan {
  const { event, account } = subject;
  const decline = findDecline(subject, account, Number.NEGATIVE_INFINITY);
  return decline
    ? declineAuthorization(subject, decline)
    : approve({ ...subject, endpoint: undefined }, event.amount, isUsable(subject));
}

/** Whether a partial approval is possible. The Program's settings then decide. */
function mayBePartial(subject: Authorization): boolean {
  const { event, hold, account } = subject;
  if (!event.partialApprovalSupported || hold) return false;
  const { reason } = findDecline(subject, account, event.amount) ?? {};
  return reason === "INSUFFICIENT_FUNDS" || reason === "SPEND_LIMIT";
}

/** Card and balance allow the amount: the controls have the last word. */
function approveUnlessControlled(
  subject: Authorization,
  amountMinor: number,
  addedMinor: number,
  require?: AccountCondition,
): CardPlan {
  const decline = controlDecline(subject, addedMinor);
  return decline ? declineAuthorization(subject, decline) : approve(subject, amountMinor, require);
}

function approve(subject: Authorization, amountMinor: number, require?: AccountCondition): CardPlan {
  const { event, endpoint } = subject;
  const merchant = toMerchant(event);
  const before = holdBefore(subject, event.authorizationId);
  if (endpoint) return endpoint.reserve(subject, before, amountMinor, require);
  const after = { ...increaseHold(before, amountMinor), decided: true, ...decisionEvent(subject), merchant };
  return placeHold(subject, after, {
    transType: TransactionType.authorization,
    amountMinor,
    description: event.merchantName ?? "Authorization",
    require,
  });
}

/** Nothing but an advice holds more for it, unless another event has before. */
function declineAuthorization(subject: Authorization, decline: Decline): CardPlan {
  const { event, hold, at } = subject;
  const before = holdBefore(subject, event.authorizationId);
  const after = {
    ...(hold ?? closeHold(before, "declined")),
    decided: true,
    ...decisionEvent(subject),
    merchant: toMerchant(event),
  };
  const description = event.merchantName ?? "Authorization";
  return planDecline(subject, decline, description, { writes: holdWrites(before, after, at) });
}

/** Names the event that decides, unless the hold shows it: then no other event came first. */
function decisionEvent({ event, hold, endpoint }: Authorization) {
  return hold || endpoint ? { decisionEventId: event.eventId } : {};
}

export function addedHoldMinor(before: Hold, amountMinor: number, occurredAt?: string): number {
  return heldMinor(increaseHold(before, amountMinor, occurredAt)) - heldMinor(before);
}

type Placing = CardEventOf<"authorization" | "authorization_advice" | "authorization_incremental">;

interface Placement {
  readonly transType: TransactionType;
  readonly amountMinor: number;
  readonly description: string;
  readonly require?: AccountCondition | undefined;
}

export function placeHold(
  subject: CardSubject<Placing> & OfHold & OfControls,
  after: Hold,
  { require, ...fields }: Placement,
): CardPlan {
  const { event, card } = subject;
  const { authorizationId } = event;
  const before = holdBefore(subject, event.authorizationId);
  const placedMinor = outstandingMinor(after) - outstandingMinor(before);
  const addedMinor = heldMinor(after) - heldMinor(before);
  const transaction = newTransaction(subject, {
    ...fields,
    transStatus: TransactionStatus.pending,
    type: "DR",
    merchant: toMerchant(event),
    authorizationId,
  });
  const counted = countHold(subject, before, after, transaction.transId);
  return {
    transaction,
    ...heldBy(card.cardId, addedMinor),
    relatedId: transaction.transId,
    require,
    ...counted,
    writes: [...counted.writes, ...ownHoldChecks(event)],
    outboxKind: "hold.placed",
    notify: notifyHold,
    detail: { placedMinor },
    result: { approved: true, authorizationId, amount: fields.amountMinor },
  };
}

/** A total that is less than what a question has reserved releases the rest. */
function heldBy(cardId: string, addedMinor: number): Pick<CardPlan, "entryKind" | "postings"> {
  if (addedMinor < 0) return { entryKind: "hold_released", postings: holdReleased(cardId, -addedMinor) };
  return { entryKind: "hold_placed", postings: addedMinor > 0 ? holdPlaced(cardId, addedMinor) : [] };
}

export const authorization = cardChange<CardEventOf<"authorization">>()({
  reads: (of) => ({
    account: of.accountIfNeeded(),
    hold: of.holdLater(),
    controls: of.controls(),
    endpoint: of.endpoint(),
    settings: later(of.settings()),
  }),
  readMore: (subject, of, { settings }) =>
    settings === unread && mayBePartial(subject) ? { settings: of.settings() } : undefined,
  plan: planAuthorization,
});
