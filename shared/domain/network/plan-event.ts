import type { ProcessorEvent } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { getCardholder } from "../cardholders/cardholder.ts";
import { hasChanged, kycOutcomeWrites, toCardholderStatusError } from "../cardholders/cardholder-status.ts";
import { issuanceDecisionWrites, toIssuanceError } from "../cards/issuance.ts";
import type { CardEvent } from "./card-plan.ts";
import { type EventPlan, illegal, notFound, type Planned } from "./event-plan.ts";
import { planCardEvent } from "./plan-card-event.ts";
import { planChallenge, planCompletion } from "./plan-challenge.ts";
import { type DepositOptions, planDeposit } from "./plan-deposit.ts";

export type PlannedEvent = ProcessorEvent | CardEvent;

/** Reads and plans; writes nothing. */
export async function planEvent(event: PlannedEvent, options: DepositOptions = {}): Promise<Planned> {
  switch (event.kind) {
    case "kyc_outcome":
      return planKycOutcome(event);
    case "card_approval": {
      const writes = await issuanceDecisionWrites(event.programId, event.cardId, event.cardStatus).catch(
        missing,
      );
      return writes ? planStatus(event, writes, toIssuanceError) : notFound;
    }
    case "deposit_pending":
    case "deposit_cleared":
    case "deposit_reversed":
    case "deposit_returned":
      return planDeposit(event, options);
    case "three_ds_challenge":
      return planChallenge(event);
    case "three_ds_completion":
      return planCompletion(event);
    default:
      return planCardEvent(event);
  }
}

async function planKycOutcome(event: Extract<ProcessorEvent, { kind: "kyc_outcome" }>): Promise<Planned> {
  const { programId, cardholderId, status } = event;
  const cardholder = await getCardholder(programId, cardholderId).catch(missing);
  if (!cardholder) return notFound;
  const plan = planStatus(event, kycOutcomeWrites(programId, cardholder, status), (failed) =>
    toCardholderStatusError(failed.get("cardholder")),
  );
  return {
    ...plan,
    again: async (failed, waited) =>
      hasChanged(cardholder, failed.get("cardholder")) ? planKycOutcome(event) : plan.again(failed, waited),
  };
}

function planStatus(
  { programId }: ProcessorEvent,
  writes: readonly WriteAction[],
  toError: (failed: FailedConditions) => ApiError,
): EventPlan {
  return {
    commit: { programId, at: now(), accounts: [], writes },
    result: { outcome: "applied" },
    again: async (failed) => (toError(failed).code === "NOT_FOUND" ? notFound : illegal),
  };
}

function missing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === "NOT_FOUND") return undefined;
  throw error;
}
