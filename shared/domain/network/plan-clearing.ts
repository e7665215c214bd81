import { FeeType, TransactionStatus, TransactionType } from "../../contract/enums.ts";
import type { Merchant } from "../../contract/merchant.ts";
import { now } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { scheduledFeeMinor } from "../../tenancy/programs/fee-schedule.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import { cardIdentity } from "../cards/card-identity.ts";
import { closeHold, decreaseHold, type Hold, holdWrites, outstandingMinor } from "../holds/hold.ts";
import { debitSettled, feeCharged } from "../ledger/card-movements.ts";
import { type Fee, feePut, newFee } from "../transactions/fee.ts";
import { numericCurrency } from "../transactions/source-amount.ts";
import { transactionPut } from "../transactions/transaction.ts";
import {
  type CardEventOf,
  type CardPlan,
  cardPlan,
  chargeFor,
  recordOf,
  type Subject,
  unrefusable,
} from "./card-plan.ts";
import { type EventPlan, notFound, type Planned } from "./event-plan.ts";
import { merchantOf, settledMerchantOf } from "./merchant-of.ts";
import type { HoldSubject } from "./plan-on-hold.ts";

type Clearing = CardEventOf<"clearing">;

/**
 * The settlement of an authorization, for any amount: the network has paid, so that it never fails for lack of money nor for the card's
 * status. One that was billed in another currency carries the Program's fee for that. `final` releases what is left of the hold, else so much is released as is settled; of a finished authorization nothing is.
 */
export function planClearing(subject: HoldSubject<Clearing>): Promise<Planned> {
  const { event, hold, at, again } = subject;
  const settled: Hold = { ...hold, clearedMinor: hold.clearedMinor + event.amount };
  const after = event.final ? closeHold(settled, "cleared") : decreaseHold(settled, event.amount);
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
  readonly merchant: Merchant;
  readonly writes: readonly WriteAction[];
}

async function settle(
  subject: Subject<Clearing>,
  { releasedMinor, merchant, writes, again }: Settlement,
): Promise<EventPlan> {
  const { event, identity } = subject;
  const { amount, authorizationId, referenceCode } = event;
  const transId = newId("transaction");
  const fee = await conversionFee(subject, merchant, transId);
  const transaction = recordOf(subject, {
    transId,
    transType: TransactionType.authorization_clearing,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: amount,
    description: event.description ?? merchant.merchantName ?? "Purchase",
    merchant,
    ...(referenceCode !== undefined && { referenceCode }),
    authorizationId,
    releasedMinor,
    ...(fee && { feeId: fee.feeId }),
  });
  return cardPlan({
    subject,
    entryKind: "clearing",
    postings: [
      ...debitSettled(identity.cardId, amount, releasedMinor),
      ...(fee ? feeCharged(identity.cardId, fee.amountMinor) : []),
    ],
    relatedId: transId,
    writes: [...writes, transactionPut(transaction), ...(fee ? [feePut(fee)] : [])],
    tell: "transaction.posted",
    detail: { transaction, fee },
    result: {
      ...(authorizationId !== undefined && { authorizationId }),
      amount,
      transId,
      ...(fee && { feeId: fee.feeId }),
    },
    again,
  });
}

/** What the Program charges for the conversion; under Dynamic Currency Conversion the merchant bills in the card's currency, and nothing is. */
async function conversionFee(
  subject: Subject<Clearing>,
  { srcCurrency }: Merchant,
  relatedTransId: string,
): Promise<Fee | undefined> {
  const { event, identity } = subject;
  if (srcCurrency === undefined || srcCurrency === numericCurrency[identity.currency]) return undefined;
  const { settings } = await getProgram(event.programId);
  const amountMinor = scheduledFeeMinor(settings, FeeType.crossBorder, event.amount);
  if (amountMinor === 0) return undefined;
  return newFee(chargeFor(subject), { feeType: FeeType.crossBorder, amountMinor, relatedTransId });
}
