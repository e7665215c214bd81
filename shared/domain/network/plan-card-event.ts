import { now } from "../../platform/clock.ts";
import type { FailedConditions, StoredItem } from "../../platform/table/transact.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import { type Card, getKnownCard, readCardIdentity, rememberCard } from "../cards/card.ts";
import { readChargeback } from "../disputes/chargeback.ts";
import { readHold, toHold } from "../holds/hold.ts";
import { readAccount, type StoredAccount } from "../ledger/account.ts";
import { fees } from "../transactions/fee.ts";
import { transactions } from "../transactions/transaction.ts";
import {
  type CardEvent,
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  cardAccount,
  toCommit,
  toResult,
} from "./card-plan.ts";
import { illegal, notFound, type Planned, type Rejected } from "./event-plan.ts";
import { mayBePartial, planAdvice, planAuthorization, planIncrement } from "./plan-authorization.ts";
import { planAtmWithdrawal, planBalanceInquiry, planFee, planFeeReversal } from "./plan-cash-and-fees.ts";
import { planChargeback, planChargebackOutcome } from "./plan-chargeback.ts";
import {
  isConverted,
  planClearing,
  planExpiry,
  planRefund,
  planRefundReversal,
  planReversal,
} from "./plan-settlement.ts";

/** Plans each kind: a pure function of the event and of what is read for it. */
const planners: {
  readonly [K in CardEvent["kind"]]: (subject: CardSubject<CardEventOf<K>>) => CardPlan | Rejected;
} = {
  authorization: planAuthorization,
  authorization_advice: planAdvice,
  authorization_incremental: planIncrement,
  authorization_reversal: planReversal,
  authorization_expiry: planExpiry,
  clearing: planClearing,
  refund: planRefund,
  refund_reversal: planRefundReversal,
  atm_withdrawal: planAtmWithdrawal,
  balance_inquiry: planBalanceInquiry,
  fee: planFee,
  fee_reversal: planFeeReversal,
  chargeback: planChargeback,
  chargeback_outcome: planChargebackOutcome,
};

/** Plans an event of the card network from one round of reads. Most of its cards are known to this worker already. */
export async function planCardEvent(event: CardEvent): Promise<Planned> {
  const subject = await readSubject(event);
  return subject ? planSubject(subject) : notFound;
}

async function planSubject(read: CardSubject): Promise<Planned> {
  const subject = await withSettings(read);
  const { event, card, hold } = subject;
  if (hold && hold.cardId !== event.cardId) return illegal;
  const plan = (planners[event.kind] as (subject: CardSubject) => CardPlan | Rejected)(subject);
  if ("rejected" in plan) return plan;
  return {
    commit: toCommit(subject, plan),
    result: toResult(plan),
    account: cardAccount(card),
    again: async (failed, waited) => planSubject(await withFailed(subject, failed, waited)),
  };
}

async function readSubject(event: CardEvent): Promise<CardSubject | undefined> {
  const { programId, cardId } = event;
  const [read, hold, transaction, fee, chargeback, settings] = await Promise.all([
    readCard(event),
    event.kind !== "authorization" && "authorizationId" in event && event.authorizationId !== undefined
      ? readHold(programId, event.authorizationId)
      : undefined,
    event.kind === "refund_reversal" || event.kind === "chargeback"
      ? transactions.at(programId, cardId, event.transId).get()
      : undefined,
    event.kind === "fee_reversal" ? fees.at(programId, cardId, event.feeId).get() : undefined,
    event.kind === "chargeback_outcome" ? readChargeback(programId, event.chargebackId) : undefined,
    mayCostFee(event) ? readSettings(programId) : undefined,
  ]);
  return read && { event, at: now(), ...read, hold, transaction, fee, chargeback, settings };
}

/** An authorization's events post nothing: they are tried without reading the balances. */
async function readCard(event: CardEvent): Promise<Pick<CardSubject, "card" | "account"> | undefined> {
  const { programId, cardId } = event;
  if (event.kind.startsWith("authorization")) {
    const card = await readCardIdentity(programId, cardId);
    return card && { card };
  }
  const account = await readAccount(programId, cardAccount(event));
  if (!account) return undefined;
  return {
    account,
    card: getKnownCard(programId, cardId) ?? rememberCard(programId, account as Card & StoredAccount),
  };
}

/** Whether the Program's settings say what the event costs, as far as this worker knows its card. */
function mayCostFee(event: CardEvent): boolean {
  if (event.kind === "atm_withdrawal") return event.feeAmount === undefined;
  if (event.kind !== "clearing" || event.srcCurrency === undefined) return false;
  const card = getKnownCard(event.programId, event.cardId);
  return !card || isConverted({ event, card });
}

async function withSettings(subject: CardSubject): Promise<CardSubject> {
  const { event, settings } = subject;
  const needed =
    (event.kind === "authorization" && mayBePartial({ ...subject, event })) ||
    (event.kind === "clearing" && isConverted({ ...subject, event }));
  return needed && !settings ? { ...subject, settings: await readSettings(event.programId) } : subject;
}

async function readSettings(programId: string): Promise<CardSubject["settings"]> {
  return (await readProgram(programId))?.settings;
}

/** Adds the items that failed conditions found. Reads them again after a wait. */
async function withFailed(
  subject: CardSubject,
  failed: FailedConditions,
  waited: boolean,
): Promise<CardSubject> {
  const { programId, cardId } = subject.card;
  const found = <T>(name: string, before: T | undefined) =>
    failed.has(name) ? (failed.get(name) as T | undefined) : before;
  const original = <T>(entity: { parse: (stored: StoredItem) => T | undefined }, before: T | undefined) =>
    before && failed.has("original") ? entity.parse(failed.get("original")) : before;
  const account = found("account", subject.account);
  const hold = failed.has("hold") ? toHold(failed.get("hold")) : subject.hold;
  if (failed.has("account") && !account) throw new Error(`The card ${cardId} has vanished.`);
  const [accountNow, holdNow] = await Promise.all([
    waited && account ? readAccount(programId, cardAccount({ cardId })) : account,
    waited && hold ? readHold(programId, hold.authorizationId) : hold,
  ]);
  return {
    ...subject,
    at: now(),
    account: accountNow,
    hold: holdNow,
    transaction: original(transactions, subject.transaction),
    fee: original(fees, subject.fee),
    chargeback: found("chargeback", subject.chargeback),
  };
}
