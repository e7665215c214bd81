import { cardIdentity } from "../card/card-identity.ts";
import { now, timestamp } from "../clock.ts";
import { TransactionStatus } from "../contract/enums.ts";
import { type Hold, holdOf, holdWrites, unknownHold } from "../hold/hold.ts";
import { authorized, closed, outstandingMinor } from "../hold/hold-state.ts";
import type { StoredAccount } from "../ledger/account.ts";
import type { AccountRequirements } from "../ledger/account-change.ts";
import { holdPlaced } from "../ledger/card-movements.ts";
import { getProgram } from "../program/program.ts";
import { transactionPut } from "../transaction/transaction.ts";
import { type Decline, declineOf, holding, usable } from "./card-decline.ts";
import { type CardEventOf, cardPlan, recordOf, type Subject } from "./card-plan.ts";
import { type EventPlan, illegal, notFound, type Planned, type Refusals } from "./event-plan.ts";
import { merchantOf } from "./merchant-of.ts";

type Authorization = Subject<CardEventOf<"authorization">>;

/**
 * An authorization: the amount is held if the card is Active and has it, decided by the condition of the write, without having looked. What
 * refuses that decides between a partial approval (where Program and terminal allow it) and a recorded decline.
 */
export async function planAuthorization(event: CardEventOf<"authorization">): Promise<Planned> {
  const identity = await cardIdentity(event.programId, event.cardId);
  if (!identity) return notFound;
  const at = now();
  return approve({ event, identity, at }, event.amount, holding(event.amount, at));
}

/** Holds the amount, all of what was asked for or a part. */
function approve(subject: Authorization, amountMinor: number, require: AccountRequirements): EventPlan {
  const { identity, event, at } = subject;
  const unknown = unknownHold(identity, event.authorizationId, timestamp(at));
  return place(subject, unknown, amountMinor, require);
}

async function decideAgain(subject: Authorization, refusals: Refusals): Promise<Planned> {
  const { event, at } = subject;
  const hold = holdOf(refusals.get("hold"));
  if (hold) {
    if (hold.decided || hold.cardId !== event.cardId) return illegal;
    return placeLate(subject, hold);
  }
  const account = refusals.get("account") as unknown as StoredAccount | undefined;
  if (!account) throw new Error(`The card ${event.cardId} has vanished.`);
  const declined = declineOf(account, event.amount, at);
  if (!declined) return approve(subject, event.amount, holding(event.amount, at));
  if (declined.reason !== "INSUFFICIENT_FUNDS") return decline(subject, declined);
  if (!event.partialApprovalSupported) return decline(subject, declined);
  const { partialApproval } = (await getProgram(event.programId)).settings;
  const { availableMinor } = account;
  if (!partialApproval) return decline(subject, declined);
  if (availableMinor <= 0) {
    return decline(subject, { ...declined, require: { ...declined.require, availableBelowMinor: 1 } });
  }
  return approve(subject, availableMinor, {
    ...usable(at),
    balances: { availableMinor },
  });
}

/**
 * The authorization comes after its clearing, reversal or expiry: the network went on long ago, so that there is nothing left to decide. Held is
 * only what those have left of it.
 */
function placeLate(subject: Authorization, hold: Hold): EventPlan {
  return place(subject, hold, subject.event.amount);
}

function place(
  subject: Authorization,
  before: Hold,
  amountMinor: number,
  require?: AccountRequirements,
): EventPlan {
  const { event, identity, at } = subject;
  const merchant = merchantOf(event);
  const after: Hold = { ...authorized(before, amountMinor), decided: true, merchant };
  const placedMinor = outstandingMinor(after) - outstandingMinor(before);
  const transaction = recordOf(subject, {
    transType: 1,
    transStatus: TransactionStatus.pending,
    type: "DR",
    amountMinor,
    description: event.merchantName ?? "Authorization",
    merchant,
    authorizationId: event.authorizationId,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "hold_placed",
    postings: placedMinor > 0 ? holdPlaced(identity.cardId, placedMinor) : [],
    relatedId: transId,
    ...(require && { require }),
    writes: [...holdWrites(before, after, at), transactionPut(transaction)],
    tell: "hold.placed",
    detail: { transaction, placedMinor },
    result: {
      approved: true,
      authorizationId: event.authorizationId,
      amount: amountMinor,
      transId,
    },
    again: (refusals) => decideAgain(subject, refusals),
  });
}

/** Nothing is held, now or by whatever comes later under the same reference. */
function decline(subject: Authorization, { reason, require }: Decline): EventPlan {
  const { event, identity, at } = subject;
  const { authorizationId } = event;
  const unknown = unknownHold(identity, authorizationId, timestamp(at));
  const merchant = merchantOf(event);
  const finished: Hold = { ...closed(unknown, "declined"), decided: true, merchant };
  const transaction = recordOf(subject, {
    transType: 77,
    transStatus: TransactionStatus.declined,
    type: "DR",
    amountMinor: event.amount,
    description: event.merchantName ?? "Authorization",
    merchant,
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
    writes: [...holdWrites(unknown, finished, at), transactionPut(transaction)],
    tell: "authorization.declined",
    detail: { transaction },
    result: { approved: false, declineReason: reason, authorizationId, amount: 0, transId },
    again: (refusals) => decideAgain(subject, refusals),
  });
}
