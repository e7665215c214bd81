import { numericCurrency } from "../../contract/enums.ts";
import type { ProcessorEvent } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { ContendedError } from "../../platform/table/retry.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { hasChanged, kycOutcomeWrites } from "../cardholders/cardholder-status.ts";
import { documentWrites, reviewDeadlineDelete } from "../cardholders/review.ts";
import { cards } from "../cards/card.ts";
import { type IssuanceDecisionWrites, prepareIssuanceDecision, toIssuanceError } from "../cards/issuance.ts";
import { releasePart } from "../controls/more-usage.ts";
import { LacksShare } from "../controls/parts.ts";
import { nameOfUsage } from "../controls/usage.ts";
import { challenges } from "../passcodes/passcode.ts";
import { withBalances } from "./answered-balances.ts";
import type { CardEvent, CardEventOf, EventOf } from "./card-event.ts";
import { earlyWrites } from "./named-message.ts";
import {
  type CardPlan,
  type CardSubject,
  cardAccount,
  illegal,
  notFound,
  type PlanFromReads,
  type Planned,
  type Rejected,
  toCommit,
  toResult,
} from "./plan.ts";
import { planAdvice, planAuthorization, planIncrement } from "./plan-authorization.ts";
import { planChallenge, planCompletion, readChallengeSubject } from "./plan-challenge.ts";
import { planDecision } from "./plan-decision.ts";
import { type DepositOptions, planDeposit, readDepositSubject } from "./plan-deposit.ts";
import {
  planChargeback,
  planDisputeChange,
  planDisputeCreation,
  planDisputeOutcome,
  planDisputeStep,
} from "./plan-dispute.ts";
import { planBalanceInquiry, planRefundAuthorization } from "./plan-noted.ts";
import { planRefund, planRefundReversal } from "./plan-refund.ts";
import { planExpiry, planReversal } from "./plan-reversal.ts";
import { planClearing, planFee, planFeeReversal } from "./plan-settlement.ts";
import { planShipping } from "./plan-shipping.ts";
import { planAtmWithdrawal } from "./plan-withdrawal.ts";
import { resolvePreceding, type TieOptions } from "./preceding-event.ts";
import { readMore, readSubject, refreshed, renewedHold, withPostings, withSettings } from "./read-subject.ts";

export type PlannedEvent = ProcessorEvent | CardEvent;
export type EventOptions = DepositOptions & TieOptions;
type CardKindEvent = Extract<PlannedEvent, { kind: CardEvent["kind"] }>;

/** Reads and plans. Writes nothing but the address index of an approved Card. */
export async function planEvent(event: PlannedEvent, options: EventOptions = {}): Promise<Planned> {
  if (isCardEvent(event)) return planCardEvent(event, options);
  const plan = await planFromReads(event, options);
  if ("rejected" in plan) return plan;
  const { reject, prepare } = plan;
  const replan = async (failed: FailedConditions) => {
    const rejected = reject?.(failed);
    if (rejected) return rejected;
    await prepare?.(failed);
    return planEvent(event, options);
  };
  return { ...plan, replan };
}

async function planFromReads(
  event: Exclude<PlannedEvent, CardKindEvent>,
  options: DepositOptions,
): Promise<PlanFromReads | Rejected> {
  const { programId } = event;
  switch (event.kind) {
    case "kyc_outcome":
    case "kyc_documents":
      return planKyc(event, await cardholders.at(programId, event.cardholderId).get());
    case "card_approval": {
      const card = await cards.at(programId, event.cardId).get();
      if (!card) return notFound;
      return planCardApproval(event, await prepareIssuanceDecision(programId, card, event.cardStatus));
    }
    case "card_shipping":
      return planShipping(event, await cards.at(programId, event.cardId).get());
    case "three_ds_challenge":
      return planChallenge(event, await readChallengeSubject(event));
    case "three_ds_completion":
      return planCompletion(event, await challenges.at(programId, event.challengeId).get());
    default:
      return planDeposit(event, await readDepositSubject(event, options), options);
  }
}

function planKyc(
  event: EventOf<"kyc_outcome"> | EventOf<"kyc_documents">,
  cardholder: Cardholder | undefined,
): PlanFromReads | Rejected {
  if (!cardholder) return notFound;
  const { programId, sessionId } = event;
  const writes =
    event.kind === "kyc_documents"
      ? documentWrites(programId, cardholder, sessionId)
      : [
          ...kycOutcomeWrites(programId, cardholder, event.status, sessionId),
          reviewDeadlineDelete(programId, cardholder.entityId),
        ];
  return {
    commit: { programId, at: now(), accounts: [], writes },
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
  authorization_decision: planDecision,
  clearing: planClearing,
  refund: planRefund,
  refund_authorization: planRefundAuthorization,
  refund_reversal: planRefundReversal,
  atm_withdrawal: planAtmWithdrawal,
  balance_inquiry: planBalanceInquiry,
  fee: planFee,
  fee_reversal: planFeeReversal,
  chargeback: planChargeback,
  chargeback_outcome: planDisputeOutcome,
  dispute_creation: planDisputeCreation,
  dispute_change: planDisputeChange,
  dispute_step: planDisputeStep,
  dispute_outcome: planDisputeOutcome,
};

function isCardEvent(event: PlannedEvent): event is CardKindEvent {
  return event.kind in planners;
}

async function planCardEvent(event: CardEvent, options: EventOptions): Promise<Planned> {
  const subject = await readSubject(event, options);
  if (!subject) return notFound;
  if (subject.hold) return planSubject(subject);
  const tied = await resolvePreceding(event, options);
  if (tied === event) return planSubject(subject);
  const rejection = rejected(subject, notFound);
  return "rejected" in tied ? rejection : planCardEvent(tied, options);
}

/** What an event does to the state that was read. Reads and writes nothing. */
export function planRead(subject: CardSubject): CardPlan | Rejected {
  const { event, hold, card } = subject;
  if (hold && hold.cardId !== event.cardId) return illegal;
  const currency = "billingCurrency" in event ? event.billingCurrency : undefined;
  if (currency !== undefined && currency !== numericCurrency[card.currency]) return illegal;
  return (planners[event.kind] as (subject: CardSubject) => CardPlan | Rejected)(subject);
}

/** A part of a split usage is laid out anew: another event may use it up first. */
const maximumReads = 50;

async function planSubject(read: CardSubject, reads = 1): Promise<Planned> {
  const subject = await withPostings(await withSettings(read));
  const { event, card, controls } = subject;
  try {
    const plan = withBalances(subject, planRead(subject));
    if ("rejected" in plan) {
      const renewed = await renewedHold(subject);
      return renewed ? planSubject(renewed, reads) : rejected(subject, plan);
    }
    const planned = toCommit(subject, { ...plan, writes: [...(plan.writes ?? []), ...earlyWrites(subject)] });
    return {
      ...planned,
      result: toResult(plan),
      account: cardAccount(card),
      question: plan.question,
      decision: plan.decision,
      replan: async (failed, waited) => {
        // It has come meanwhile: the reversal is sent again.
        if (failed.has("increment")) return rejected(subject, notFound);
        const isReferenceTaken = failed.has("reference");
        if (isReferenceTaken && event.kind !== "authorization_decision")
          return rejected(subject, { rejected: "REFERENCE_EXISTS" });
        const renewed = await refreshed(subject, failed, waited);
        return planSubject(isReferenceTaken ? { ...renewed, isReferenceTaken } : renewed);
      },
      end: (isCommitted) => controls && releasePart(controls, isCommitted ? planned.commit.writes : []),
    };
  } catch (error) {
    if (!(error instanceof LacksShare)) throw error;
    if (reads >= maximumReads) throw new ContendedError([nameOfUsage("program")]);
    const more = await readMore(subject);
    return more ? planSubject(more, reads + 1) : notFound;
  }
}

function rejected({ controls }: CardSubject, rejection: Rejected): Rejected {
  controls?.release?.();
  return rejection;
}
