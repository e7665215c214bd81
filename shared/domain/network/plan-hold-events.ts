import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import {
  closeHold,
  decreaseHold,
  type Hold,
  holdWrites,
  increaseHold,
  outstandingMinor,
} from "../holds/hold.ts";
import type { StoredAccount } from "../ledger/account.ts";
import { holdPlaced, holdReleased } from "../ledger/card-movements.ts";
import { transactionPut } from "../transactions/transaction.ts";
import { type Decline, declineOf, holding } from "./card-decline.ts";
import { type CardEventOf, type CardPlan, cardPlan, recordOf } from "./card-plan.ts";
import { type EventPlan, illegal, notFound, type Planned } from "./event-plan.ts";
import { merchantOf } from "./merchant-of.ts";
import type { HoldSubject } from "./plan-on-hold.ts";

type Increment = HoldSubject<CardEventOf<"authorization_incremental">>;

/** The network has approved without us: what it tells of is held whatever the card's status and money. */
export function planAdvice(subject: HoldSubject<CardEventOf<"authorization_advice">>): Planned {
  const { event, hold } = subject;
  const merchant = { ...hold.merchant, ...merchantOf(event) };
  const after: Hold = { ...increaseHold(hold, event.amount), merchant };
  return placing(
    subject,
    after,
    event.standIn ? TransactionType.authorization_standin : TransactionType.authorization_advice,
    { again: subject.again },
  );
}

/** More is held for an authorization, by the same conditions. A finished one takes no more: that is declined, as is what the card cannot pay. */
export function planIncrement(subject: Increment): Planned {
  const { event, hold, known, at } = subject;
  if (!known) return notFound;
  if (hold.closedBy) return declineIncrement(subject, { reason: "AUTHORIZATION_FINISHED" });
  const after = increaseHold(hold, event.amount);
  const addedMinor = outstandingMinor(after) - outstandingMinor(hold);
  return placing(subject, after, TransactionType.authorization_incremental, {
    require: holding(addedMinor, at),
    again: (failedConditions) => {
      if (failedConditions.has("hold")) return subject.again(failedConditions);
      const account = failedConditions.get("account") as unknown as StoredAccount | undefined;
      if (!account) throw new Error(`The card ${event.cardId} has vanished.`);
      const declined = declineOf(account, addedMinor, at);
      return declined ? declineIncrement(subject, declined) : planIncrement(subject);
    },
  });
}

function placing(
  subject: HoldSubject<CardEventOf<"authorization_advice" | "authorization_incremental">>,
  after: Hold,
  transType: TransactionType,
  how: Pick<CardPlan, "again" | "require">,
): EventPlan {
  const { event, identity, hold, at } = subject;
  const { authorizationId, amount } = event;
  const placedMinor = outstandingMinor(after) - outstandingMinor(hold);
  const transaction = recordOf(subject, {
    transType,
    transStatus: TransactionStatus.pending,
    type: "DR",
    amountMinor: amount,
    description: event.merchantName ?? hold.merchant.merchantName ?? "Authorization",
    merchant: merchantOf(event),
    authorizationId,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "hold_placed",
    postings: placedMinor > 0 ? holdPlaced(identity.cardId, placedMinor) : [],
    relatedId: transId,
    writes: [...holdWrites(hold, after, at), transactionPut(transaction)],
    tell: "hold.placed",
    detail: { transaction, placedMinor },
    result: { approved: true, authorizationId, amount, transId },
    ...how,
  });
}

/** Recorded like a declined authorization; what was authorized before stays held. */
function declineIncrement(subject: Increment, { reason, require }: Decline): EventPlan {
  const { event, hold } = subject;
  const { authorizationId } = event;
  const transaction = recordOf(subject, {
    transType: TransactionType.authorization_declined,
    transStatus: TransactionStatus.declined,
    type: "DR",
    amountMinor: event.amount,
    description: event.merchantName ?? hold.merchant.merchantName ?? "Authorization",
    merchant: merchantOf(event),
    authorizationId,
    declineReason: reason,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "hold_placed",
    postings: [],
    relatedId: transId,
    ...(require && { require }),
    writes: [transactionPut(transaction)],
    tell: "authorization.declined",
    detail: { transaction },
    result: { approved: false, declineReason: reason, authorizationId, amount: 0, transId },
    again: () => planIncrement(subject),
  });
}

/** A part of the hold is released, or all of it and the authorization is finished. Of a finished authorization nothing can be. */
export function planReversal(subject: HoldSubject<CardEventOf<"authorization_reversal">>): Planned {
  const { event, hold } = subject;
  const after = event.amount === undefined ? closeHold(hold, "reversed") : decreaseHold(hold, event.amount);
  return planRelease(subject, after, TransactionType.authorization_reversal);
}

/** The authorization is given up as nothing came of it: by the platform after seven days (13), or by the network (83). */
export function planExpiry(
  subject: HoldSubject<CardEventOf<"authorization_expiry">>,
  transType: TransactionType = TransactionType.authorizationexpiry,
): Planned {
  return planRelease(subject, closeHold(subject.hold, "expired"), transType);
}

function planRelease(
  subject: HoldSubject<CardEventOf<"authorization_reversal" | "authorization_expiry">>,
  after: Hold,
  transType: TransactionType,
): Planned {
  const { event, identity, hold, at, again } = subject;
  if (hold.closedBy) return illegal;
  const releasedMinor = outstandingMinor(hold) - outstandingMinor(after);
  const transaction = recordOf(subject, {
    transType,
    transStatus: TransactionStatus.completion,
    type: "CR",
    amountMinor: releasedMinor,
    description: hold.merchant.merchantName ?? "Authorization",
    authorizationId: event.authorizationId,
    releasedMinor,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "hold_released",
    postings: releasedMinor > 0 ? holdReleased(identity.cardId, releasedMinor) : [],
    relatedId: transId,
    writes: [...holdWrites(hold, after, at), transactionPut(transaction)],
    tell: "hold.released",
    detail: { transaction, releasedMinor },
    result: { authorizationId: event.authorizationId, amount: releasedMinor, transId },
    again,
  });
}
