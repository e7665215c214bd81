import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { all, below } from "../../platform/table/condition.ts";
import {
  closeHold,
  type Hold,
  heldMinor,
  holdWrites,
  increaseHold,
  isOnlyReserved,
  outstandingMinor,
} from "../holds/hold.ts";
import type { AccountCondition } from "../ledger/account.ts";
import { type AccountBalances, holdPlaced } from "../ledger/postings.ts";
import { countedHoldWrites } from "./counted.ts";
import {
  controlDecline,
  type Decline,
  findDecline,
  isUsableAt,
  isUsableWithFunds,
  planDecline,
} from "./decline.ts";
import {
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  holdBefore,
  illegal,
  newTransaction,
  notFound,
  type Rejected,
  requiredSettings,
  toMerchant,
} from "./plan.ts";
import { planReservation } from "./plan-reservation.ts";

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
  const decline = account && addedMinor > 0 ? findDecline(account, addedMinor, at) : undefined;
  if (!decline) {
    const require = hold && addedMinor === 0 ? undefined : isUsableWithFunds(addedMinor, at);
    return approveUnlessControlled(subject, event.amount, addedMinor, require);
  }
  const isPartial = mayBePartial(subject) && requiredSettings(subject).partialApproval;
  if (!isPartial) return declineAuthorization(subject, decline);
  const { availableMinor = 0 } = account ?? {};
  if (availableMinor > 0) {
    const require = all<AccountBalances>(isUsableAt(at), { availableMinor });
    return approveUnlessControlled(subject, availableMinor, availableMinor, require);
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
  if (endpoint) return planReservation(subject, endpoint, before, amountMinor, require);
  const after = { ...increaseHold(before, amountMinor), decided: true, ...decisionEvent(subject), merchant };
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
  const { event, at, hold, account, endpoint } = subject;
  if (!hold || isOnlyReserved(hold)) return notFound;
  const description = event.merchantName ?? hold.merchant.merchantName ?? "Authorization";
  if (hold.closedBy) return planDecline(subject, { reason: "AUTHORIZATION_FINISHED" }, description);
  const addedMinor = addedHoldMinor(hold, event.amount);
  const decline = (account && findDecline(account, addedMinor, at)) ?? controlDecline(subject, addedMinor);
  if (decline) return planDecline(subject, decline, description);
  const require = isUsableWithFunds(addedMinor, at);
  if (endpoint) return planReservation(subject, endpoint, hold, event.amount, require);
  return placeHold(subject, increaseHold(hold, event.amount), {
    transType: TransactionType.authorization_incremental,
    amountMinor: event.amount,
    description,
    require,
  });
}

function addedHoldMinor(before: Hold, amountMinor: number): number {
  return heldMinor(increaseHold(before, amountMinor)) - heldMinor(before);
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
  return {
    transaction,
    entryKind: "hold_placed",
    postings: addedMinor > 0 ? holdPlaced(card.cardId, addedMinor) : [],
    relatedId: transaction.transId,
    require,
    writes: countedHoldWrites(subject, before, after, transaction.transId),
    outboxKind: "hold.placed",
    detail: { placedMinor },
    result: { approved: true, authorizationId, amount: fields.amountMinor },
  };
}
