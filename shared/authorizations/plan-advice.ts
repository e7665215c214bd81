import { nothing } from "../changes/change.ts";
import { TransactionType } from "../contract/enums.ts";
import { cardChange } from "../network-events/card-change.ts";
import type { CardEventOf } from "../network-events/card-event.ts";
import {
  type CardPlan,
  type CardSubject,
  completedMerchant,
  holdBefore,
  illegal,
  notFound,
  type OfControls,
  type OfHold,
  type Rejected,
} from "../network-events/plan.ts";
import { timestamp } from "../platform/clock.ts";
import { controlDecline, type Decline, findDecline, isUsableWithFunds, planDecline } from "./decline.ts";
import { type Hold, holds } from "./holds/hold.ts";
import { isDeclined, isOnlyReserved, setTotal, takesNoIncrement } from "./holds/hold-changes.ts";
import { holdWrites, increaseHold, outstandingMinor } from "./holds/hold-rules.ts";
import { type Asked, addedHoldMinor, placeHold } from "./plan-authorization.ts";
import { releaseHold } from "./release-hold.ts";
import { tiedToDecline } from "./stand-in.ts";

type Advice = CardSubject<CardEventOf<"authorization_advice">> & OfHold & OfControls;

type Increment = CardSubject<CardEventOf<"authorization_incremental">> &
  Asked & {
    /** That of the increment itself, if its reversal came first. */
    readonly ownHold?: Hold | undefined;
  };

/**
 * Approved by the network: held whatever the card's status and balance. A total may be less. That
 * and a stand-in's are held also if the platform declined the authorization.
 */
export function planAdvice(subject: Advice): CardPlan | Rejected {
  const { event, at, hold } = subject;
  if (hold?.withdrawal) return illegal;
  const { authorizationId, amount, occurredAt } = event;
  const before = holdBefore(subject, authorizationId);
  const begins = isDeclined(before) && (event.standIn || event.total);
  const open = begins ? { ...before, closedBy: undefined } : before;
  const changed = event.total
    ? setTotal(open, amount, occurredAt)
    : increaseHold(open, amount, occurredAt ?? timestamp(at));
  const after = { ...changed, merchant: completedMerchant(event, before.merchant) };
  const result = { approved: true, authorizationId, amount };
  if (outstandingMinor(after) < outstandingMinor(before)) {
    return { ...releaseHold(subject, after, TransactionType.authorization_reversal), result };
  }
  const amountMinor = event.total ? outstandingMinor(after) - outstandingMinor(before) : amount;
  const plan = placeHold(subject, after, {
    transType: event.standIn ? TransactionType.authorization_standin : TransactionType.authorization_advice,
    amountMinor,
    description: event.merchantName ?? before.merchant.merchantName ?? "Authorization",
  });
  return { ...plan, result };
}

/** Adds to an authorization under the same conditions. A finished one takes no more. */
export function planIncrement(subject: Increment): CardPlan | Rejected {
  const { event, at, hold, ownHold, account, endpoint } = subject;
  if (!hold || isOnlyReserved(hold)) return notFound;
  const description = event.merchantName ?? hold.merchant.merchantName ?? "Authorization";
  // It changes no amount, but what was asked for.
  const declineFor = (decline: Decline) =>
    planDecline(subject, decline, description, { writes: holdWrites(hold, hold, at) });
  if (hold.closedBy || ownHold) return declineFor({ reason: "AUTHORIZATION_FINISHED" });
  if (event.failedCheck) return declineFor({ reason: event.failedCheck });
  if (takesNoIncrement(hold)) return declineFor({ reason: "AUTHORIZATION_FULL" });
  const occurredAt = event.occurredAt ?? timestamp(at);
  const addedMinor = addedHoldMinor(hold, event.amount, occurredAt);
  const decline = findDecline(subject, account, addedMinor) ?? controlDecline(subject, addedMinor);
  if (decline) return declineFor(decline);
  const require = isUsableWithFunds(subject, addedMinor);
  if (endpoint) return endpoint.reserve(subject, hold, event.amount, require);
  const after = { ...increaseHold(hold, event.amount, occurredAt), increments: (hold.increments ?? 0) + 1 };
  return placeHold(subject, after, {
    transType: TransactionType.authorization_incremental,
    amountMinor: event.amount,
    description,
    require,
  });
}

export const advice = cardChange<CardEventOf<"authorization_advice">>()({
  reads: (of) => ({ hold: of.hold(), controls: of.controls() }),
  plan: planAdvice,
  tied: tiedToDecline,
});

export const increment = cardChange<CardEventOf<"authorization_incremental">>()({
  reads: (of, { programId, incrementId }) => ({
    account: of.accountIfNeeded(),
    hold: of.hold(),
    ownHold: incrementId === undefined ? nothing : holds.at(programId, incrementId),
    controls: of.controls(),
    endpoint: of.endpoint(),
  }),
  plan: planIncrement,
});
