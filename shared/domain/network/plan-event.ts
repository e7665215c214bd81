import type { ProcessorEvent } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import type { FailedConditions, StoredItem } from "../../platform/table/transact.ts";
import { readProgram } from "../../tenancy/programs/program.ts";
import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { hasChanged, kycOutcomeWrites } from "../cardholders/cardholder-status.ts";
import { cacheCard, cards, findCachedCard, readCardIdentity } from "../cards/card.ts";
import { type IssuanceDecisionWrites, prepareIssuanceDecision, toIssuanceError } from "../cards/issuance.ts";
import { chargebacks } from "../disputes/chargeback.ts";
import { holds } from "../holds/hold.ts";
import { challenges } from "../passcodes/passcode.ts";
import { fees } from "../transactions/fee.ts";
import { transactions } from "../transactions/transaction.ts";
import {
  type CardEvent,
  type CardEventOf,
  type CardPlan,
  type CardSubject,
  cardAccount,
  type EventOf,
  illegal,
  notFound,
  type PlanFromReads,
  type Planned,
  type Rejected,
  toCommit,
  toResult,
} from "./plan.ts";
import { mayBePartial, planAdvice, planAuthorization, planIncrement } from "./plan-authorization.ts";
import { planChallenge, planCompletion, readChallengeSubject } from "./plan-challenge.ts";
import { planChargeback, planChargebackOutcome } from "./plan-chargeback.ts";
import { type DepositOptions, planDeposit, readDepositSubject } from "./plan-deposit.ts";
import {
  isConverted,
  planAtmWithdrawal,
  planBalanceInquiry,
  planClearing,
  planExpiry,
  planFee,
  planFeeReversal,
  planRefund,
  planRefundReversal,
  planReversal,
} from "./plan-settlement.ts";

export type PlannedEvent = ProcessorEvent | CardEvent;
type CardKindEvent = Extract<PlannedEvent, { kind: CardEvent["kind"] }>;

/** Reads and plans. Writes nothing but the address index of an approved Card. */
export async function planEvent(event: PlannedEvent, options: DepositOptions = {}): Promise<Planned> {
  if (isCardEvent(event)) return planCardEvent(event);
  const plan = await planFromReads(event, options);
  if ("rejected" in plan) return plan;
  return { ...plan, replan: async (failed) => plan.reject?.(failed) ?? planEvent(event, options) };
}

async function planFromReads(
  event: Exclude<PlannedEvent, CardKindEvent>,
  options: DepositOptions,
): Promise<PlanFromReads | Rejected> {
  const { programId } = event;
  switch (event.kind) {
    case "kyc_outcome":
      return planKycOutcome(event, await cardholders.at(programId, event.cardholderId).get());
    case "card_approval": {
      const card = await cards.at(programId, event.cardId).get();
      if (!card) return notFound;
      return planCardApproval(event, await prepareIssuanceDecision(programId, card, event.cardStatus));
    }
    case "three_ds_challenge":
      return planChallenge(event, await readChallengeSubject(event));
    case "three_ds_completion":
      return planCompletion(event, await challenges.at(programId, event.challengeId).get());
    default:
      return planDeposit(event, await readDepositSubject(event, options));
  }
}

function planKycOutcome(
  { programId, status }: EventOf<"kyc_outcome">,
  cardholder: Cardholder | undefined,
): PlanFromReads | Rejected {
  if (!cardholder) return notFound;
  return {
    commit: { programId, at: now(), accounts: [], writes: kycOutcomeWrites(programId, cardholder, status) },
    result: { outcome: "applied" },
    reject: (failed) => {
      const stored = failed.get("cardholder");
      if (hasChanged(cardholder, stored)) return undefined;
      return stored ? illegal : notFound;
    },
  };
}

function planCardApproval(
  { programId }: EventOf<"card_approval">,
  { writes, redelivery }: IssuanceDecisionWrites,
): PlanFromReads {
  return {
    commit: { programId, at: now(), accounts: [], writes },
    redelivery,
    result: { outcome: "applied" },
    reject: (failed) => (toIssuanceError(failed).code === "NOT_FOUND" ? notFound : illegal),
  };
}

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

function isCardEvent(event: PlannedEvent): event is CardKindEvent {
  return event.kind in planners;
}

/** Plans from one round of reads. Most cards are known to this worker already. */
async function planCardEvent(event: CardEvent): Promise<Planned> {
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
    ...toCommit(subject, plan),
    result: toResult(plan),
    account: cardAccount(card),
    replan: async (failed, waited) => planSubject(await refreshed(subject, failed, waited)),
  };
}

async function readSubject(event: CardEvent): Promise<CardSubject | undefined> {
  const { programId, cardId } = event;
  const [read, hold, transaction, fee, chargeback, settings] = await Promise.all([
    readCard(event),
    event.kind !== "authorization" && "authorizationId" in event && event.authorizationId !== undefined
      ? holds.at(programId, event.authorizationId).get()
      : undefined,
    event.kind === "refund_reversal" || event.kind === "chargeback"
      ? transactions.at(programId, cardId, event.transId).get()
      : undefined,
    event.kind === "fee_reversal" ? fees.at(programId, cardId, event.feeId).get() : undefined,
    event.kind === "chargeback_outcome" ? chargebacks.at(programId, event.chargebackId).get() : undefined,
    mayNeedSettings(event) ? readSettings(programId) : undefined,
  ]);
  return read && { event, at: now(), ...read, hold, transaction, fee, chargeback, settings };
}

/** An authorization is tried without reading its card: failed conditions return it. */
async function readCard(event: CardEvent): Promise<Pick<CardSubject, "card" | "account"> | undefined> {
  const { programId, cardId } = event;
  if (event.kind.startsWith("authorization")) {
    const card = await readCardIdentity(programId, cardId);
    return card && { card };
  }
  const account = await cards.at(programId, cardId).get();
  return account && { account, card: findCachedCard(programId, cardId) ?? cacheCard(programId, account) };
}

/** Whether planning may need the Program's settings, judged by the cached card. */
function mayNeedSettings(event: CardEvent): boolean {
  if (event.kind === "atm_withdrawal") return event.feeAmount === undefined;
  if (event.kind !== "clearing" || event.srcCurrency === undefined) return false;
  const card = findCachedCard(event.programId, event.cardId);
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

/** Takes over the items that failed conditions returned; after a wait, reads them anew. */
async function refreshed(
  subject: CardSubject,
  failed: FailedConditions,
  waited: boolean,
): Promise<CardSubject> {
  const { programId, cardId } = subject.card;
  const found = <T>(name: string, parse: (stored: StoredItem) => T | undefined, before: T | undefined) =>
    failed.has(name) ? parse(failed.get(name)) : before;
  const account = found("account", (stored) => cards.parse(stored), subject.account);
  const hold = found("hold", (stored) => holds.parse(stored), subject.hold);
  if (failed.has("account") && !account) throw new Error(`The card ${cardId} has vanished.`);
  const [accountNow, holdNow] = await Promise.all([
    waited && account ? cards.at(programId, cardId).get() : account,
    waited && hold ? holds.at(programId, hold.authorizationId).get() : hold,
  ]);
  return {
    ...subject,
    at: now(),
    account: accountNow,
    hold: holdNow,
    // The condition `original` is on the transaction or fee that the event reverses or disputes.
    transaction:
      subject.transaction && found("original", (stored) => transactions.parse(stored), subject.transaction),
    fee: subject.fee && found("original", (stored) => fees.parse(stored), subject.fee),
    chargeback: found("chargeback", (stored) => chargebacks.parse(stored), subject.chargeback),
  };
}
