import { FeeType, TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { now } from "../../platform/clock.ts";
import { newId } from "../../platform/id.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { scheduledFeeMinor } from "../../tenancy/programs/fee-schedule.ts";
import { getProgram } from "../../tenancy/programs/program.ts";
import type { Card } from "../cards/card.ts";
import { knownCard, rememberCard } from "../cards/card-identity.ts";
import { type Account, readAccount, type StoredAccount } from "../ledger/account.ts";
import { debitSettled, feeCharged } from "../ledger/card-movements.ts";
import { atmFee, feePut, newFee } from "../transactions/fee.ts";
import { transactionPut } from "../transactions/transaction.ts";
import { type Decline, declineOf, holding } from "./card-decline.ts";
import { type CardEventOf, cardPlan, chargeFor, recordOf, type Subject } from "./card-plan.ts";
import { type EventPlan, notFound, type Planned } from "./event-plan.ts";
import { merchantOf } from "./merchant-of.ts";

/** A withdrawal, with what it costs. */
interface Withdrawal extends Subject<CardEventOf<"atm_withdrawal">> {
  readonly feeMinor: number;
}

const defaultDescription = "Foreign Cash Withdrawal";

/**
 * Cash at an ATM: approved if the Card can be used and has amount and fee, which are posted at once, without a hold. An advice is posted
 * whatever the Card's status and money. One round of reads; what was read is a condition of the write.
 */
export async function planAtmWithdrawal(event: CardEventOf<"atm_withdrawal">): Promise<Planned> {
  const { programId, cardId, feeAmount } = event;
  const account: Account = { kind: "card", accountId: cardId };
  const [seen, scheduled] = await Promise.all([
    readAccount(programId, account),
    feeAmount === undefined ? getProgram(programId) : undefined,
  ]);
  if (!seen) return notFound;
  const identity = knownCard(programId, cardId) ?? rememberCard(programId, seen as Card & StoredAccount);
  const feeMinor =
    feeAmount ?? (scheduled ? scheduledFeeMinor(scheduled.settings, FeeType.atm, event.amount) : 0);
  return decide({ event, identity, at: now(), feeMinor }, seen);
}

function decide(withdrawal: Withdrawal, seen: StoredAccount): EventPlan {
  const { event, at, feeMinor } = withdrawal;
  const declined = event.advice ? undefined : declineOf(seen, event.amount + feeMinor, at);
  return declined ? decline(withdrawal, declined) : post(withdrawal, seen);
}

function decideAgain(withdrawal: Withdrawal, failedConditions: FailedConditions): EventPlan {
  const account = failedConditions.get("account") as unknown as StoredAccount | undefined;
  if (!account) throw new Error(`The card ${withdrawal.event.cardId} has vanished.`);
  return decide(withdrawal, account);
}

/** The withdrawal and its fee in one entry: the fee is the parent, the withdrawal its child. */
function post(withdrawal: Withdrawal, { ledgerMinor }: StoredAccount): EventPlan {
  const { event, identity, at, feeMinor } = withdrawal;
  const { amount, referenceCode, advice } = event;
  const transId = newId("transaction");
  const fee =
    feeMinor === 0
      ? undefined
      : newFee(chargeFor(withdrawal), {
          ...atmFee,
          amountMinor: feeMinor,
          relatedTransId: transId,
        });
  const transaction = recordOf(withdrawal, {
    transId,
    transType: TransactionType.pindebit_atm_withdrawal,
    transStatus: TransactionStatus.completion,
    type: "DR",
    amountMinor: amount,
    description: event.description ?? defaultDescription,
    merchant: merchantOf(event),
    ...(referenceCode !== undefined && { referenceCode }),
    ...(fee && { feeId: fee.feeId }),
  });
  return cardPlan({
    subject: withdrawal,
    entryKind: "atm_withdrawal",
    postings: [
      ...debitSettled(identity.cardId, amount),
      ...(fee ? feeCharged(identity.cardId, fee.amountMinor) : []),
    ],
    relatedId: transId,
    require: { ...(advice ? {} : holding(amount + feeMinor, at)), balances: { ledgerMinor } },
    writes: [transactionPut(transaction), ...(fee ? [feePut(fee)] : [])],
    tell: "transaction.posted",
    detail: { transaction, fee },
    result: { approved: true, amount, transId, ...(fee && { feeId: fee.feeId }) },
    again: (failedConditions) => decideAgain(withdrawal, failedConditions),
  });
}

/** Recorded like a declined authorization; no money moves. */
function decline(withdrawal: Withdrawal, { reason, require }: Decline): EventPlan {
  const { event } = withdrawal;
  const transaction = recordOf(withdrawal, {
    transType: TransactionType.authorization_declined,
    transStatus: TransactionStatus.declined,
    type: "DR",
    amountMinor: event.amount,
    description: event.description ?? defaultDescription,
    merchant: merchantOf(event),
    declineReason: reason,
  });
  const { transId } = transaction;
  return cardPlan({
    subject: withdrawal,
    entryKind: "atm_withdrawal",
    postings: [],
    relatedId: transId,
    ...(require && { require }),
    writes: [transactionPut(transaction)],
    tell: "authorization.declined",
    detail: { transaction },
    result: { approved: false, declineReason: reason, amount: 0, transId },
    again: (failedConditions) => decideAgain(withdrawal, failedConditions),
  });
}
