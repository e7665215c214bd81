import { cardIdentity } from "../card/card-identity.ts";
import { now } from "../clock.ts";
import { TransactionStatus } from "../contract/enums.ts";
import { type Hold, holdWrites } from "../hold/hold.ts";
import { closed, outstandingMinor, released } from "../hold/hold-state.ts";
import { debitSettled } from "../ledger/card-movements.ts";
import type { WriteAction } from "../table/transact.ts";
import { transactionPut } from "../transaction/transaction.ts";
import {
  type CardEventOf,
  type CardPlan,
  cardPlan,
  recordOf,
  type Subject,
  unrefusable,
} from "./card-event.ts";
import { type EventPlan, notFound, type Planned } from "./event-plan.ts";
import { merchantOf, settledMerchantOf } from "./merchant-of.ts";
import type { HoldSubject } from "./plan-on-hold.ts";

type Clearing = CardEventOf<"clearing">;

/**
 * The settlement of an authorization, for any amount: the network has paid, so that it never fails for lack of money nor for the card's
 * status. `final` releases what is left of the hold, else so much is released as is settled; of a finished authorization nothing is.
 */
export function planClearing(subject: HoldSubject<Clearing>): Planned {
  const { event, hold, at, again } = subject;
  const settled: Hold = { ...hold, clearedMinor: hold.clearedMinor + event.amount };
  const after = event.final ? closed(settled, "cleared") : released(settled, event.amount);
  const releasedMinor = outstandingMinor(hold) - outstandingMinor(after);
  return settle(subject, {
    releasedMinor,
    merchant: settledMerchantOf(event, hold.merchant),
    writes: holdWrites(hold, after, at),
    again,
  });
}

/** A settlement that names no authorization: it matches no hold and releases nothing. */
export async function planForcePost(event: Clearing): Promise<Planned> {
  const identity = await cardIdentity(event.programId, event.cardId);
  if (!identity) return notFound;
  return settle(
    { event, identity, at: now() },
    { releasedMinor: 0, merchant: merchantOf(event), writes: [], again: unrefusable },
  );
}

interface Settlement extends Pick<CardPlan, "again"> {
  readonly releasedMinor: number;
  readonly merchant: ReturnType<typeof merchantOf>;
  readonly writes: readonly WriteAction[];
}

function settle(
  subject: Subject<Clearing>,
  { releasedMinor, merchant, writes, again }: Settlement,
): EventPlan {
  const { event, identity } = subject;
  const { amount, authorizationId, referenceCode } = event;
  const transaction = recordOf(subject, {
    transType: 3,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: amount,
    description: event.description ?? merchant.merchantName ?? "Purchase",
    merchant,
    ...(referenceCode !== undefined && { referenceCode }),
    authorizationId,
    releasedMinor,
  });
  const { transId } = transaction;
  return cardPlan({
    subject,
    entryKind: "clearing",
    postings: debitSettled(identity.cardId, amount, releasedMinor),
    relatedId: transId,
    writes: [...writes, transactionPut(transaction)],
    tell: "transaction.posted",
    detail: { transaction },
    result: { ...(authorizationId !== undefined && { authorizationId }), amount, transId },
    again,
  });
}
