import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { now, timestamp } from "../../platform/clock.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { cardIdentity } from "../cards/card-identity.ts";
import {
  closeHold,
  emptyHold,
  type Hold,
  holdWrites,
  increaseHold,
  outstandingMinor,
  toHold,
} from "../holds/hold.ts";
import type { StoredAccount } from "../ledger/account.ts";
import type { AccountRequirements } from "../ledger/account-change.ts";
import { holdPlaced } from "../ledger/card-movements.ts";
import { transactionPut } from "../transactions/transaction.ts";
import { type Decline, declineOf, holding, usable } from "./card-decline.ts";
import { type CardEventOf, cardPlan, recordOf, type Subject } from "./card-plan.ts";
import { type EventPlan, illegal, notFound, type Planned } from "./event-plan.ts";
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
  return decide({ event, identity, at }, emptyHold(identity, event.authorizationId, timestamp(at)));
}

/**
 * Approves if the card is usable and has what the authorization adds to its hold. If earlier events already cover the
 * amount, it adds nothing and is approved unchecked.
 */
function decide(subject: Authorization, before: Hold): EventPlan {
  const { event, at } = subject;
  const addedMinor = addedTo(before, event.amount);
  const isCovered = isKnown(before) && addedMinor === 0;
  return place(subject, before, event.amount, isCovered ? undefined : holding(addedMinor, at));
}

/** Whether an event of the authorization has come before it. */
function isKnown({ version }: Hold): boolean {
  return version > 0;
}

function addedTo(before: Hold, amountMinor: number): number {
  return outstandingMinor(increaseHold(before, amountMinor)) - outstandingMinor(before);
}

async function decideAgain(
  subject: Authorization,
  before: Hold,
  failedConditions: FailedConditions,
): Promise<Planned> {
  const { event, at } = subject;
  const hold = toHold(failedConditions.get("hold"));
  if (hold) return hold.decided || hold.cardId !== event.cardId ? illegal : decide(subject, hold);
  const account = failedConditions.get("account") as unknown as StoredAccount | undefined;
  if (!account) throw new Error(`The card ${event.cardId} has vanished.`);
  const declined = declineOf(account, addedTo(before, event.amount), at);
  if (!declined) return decide(subject, before);
  const mayBePartial = event.partialApprovalSupported && !isKnown(before);
  if (declined.reason !== "INSUFFICIENT_FUNDS" || !mayBePartial) return decline(subject, before, declined);
  const { partialApproval } = (await getProgram(event.programId)).settings;
  const { availableMinor } = account;
  if (!partialApproval) return decline(subject, before, declined);
  if (availableMinor <= 0) {
    const require = { ...declined.require, availableBelowMinor: 1 };
    return decline(subject, before, { ...declined, require });
  }
  return place(subject, before, availableMinor, { ...usable(at), balances: { availableMinor } });
}

/** Holds the amount, all of what was asked for or a part. */
function place(
  subject: Authorization,
  before: Hold,
  amountMinor: number,
  require?: AccountRequirements,
): EventPlan {
  const { event, identity, at } = subject;
  const merchant = merchantOf(event);
  const after: Hold = { ...increaseHold(before, amountMinor), decided: true, merchant };
  const placedMinor = addedTo(before, amountMinor);
  const transaction = recordOf(subject, {
    transType: TransactionType.authorization,
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
    again: (failedConditions) => decideAgain(subject, before, failedConditions),
  });
}

/** Holds nothing more. Without earlier events of the authorization, later ones hold nothing either. */
function decline(subject: Authorization, before: Hold, { reason, require }: Decline): EventPlan {
  const { event, at } = subject;
  const { authorizationId } = event;
  const merchant = merchantOf(event);
  const after: Hold = {
    ...(isKnown(before) ? before : closeHold(before, "declined")),
    decided: true,
    merchant,
  };
  const transaction = recordOf(subject, {
    transType: TransactionType.authorization_declined,
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
    writes: [...holdWrites(before, after, at), transactionPut(transaction)],
    tell: "authorization.declined",
    detail: { transaction },
    result: { approved: false, declineReason: reason, authorizationId, amount: 0, transId },
    again: (failedConditions) => decideAgain(subject, before, failedConditions),
  });
}
