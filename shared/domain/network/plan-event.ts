import type { ProcessorEvent } from "../../contract/processor.ts";
import { now } from "../../platform/clock.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { FailedConditions, WriteAction } from "../../platform/table/transact.ts";
import { getCardholder } from "../cardholders/cardholder.ts";
import { cardholderRefusal, hasChanged } from "../cardholders/cardholder-status.ts";
import { kycOutcome } from "../cardholders/kyc-outcome.ts";
import { approvalRefusal, cardApproval } from "../cards/card-approval.ts";
import { type EventPlan, notFound, type Planned, type RefusalCode } from "./event-plan.ts";
import { planCardEvent } from "./plan-card-event.ts";
import { planChallenge, planCompletion } from "./plan-challenge.ts";
import { type DepositOptions, planDeposit } from "./plan-deposit.ts";

/** Works out what an event is to write. Reads what it needs for that, and writes nothing. */
export async function planEvent(event: ProcessorEvent, options: DepositOptions = {}): Promise<Planned> {
  switch (event.kind) {
    case "kyc_outcome":
      return planKycOutcome(event);
    case "card_approval": {
      const writes = await cardApproval(event.programId, event.cardId, event.cardStatus).catch(missing);
      return writes ? statusPlan(event, writes, approvalRefusal) : notFound;
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
  const plan = statusPlan(event, kycOutcome(programId, cardholder, status), (failedConditions) =>
    cardholderRefusal(failedConditions.get("cardholder")),
  );
  // From another status it is refused once more, by the status that it met.
  const again = (failedConditions: FailedConditions) =>
    hasChanged(cardholder, failedConditions.get("cardholder"))
      ? planKycOutcome(event)
      : plan.again(failedConditions);
  return { ...plan, again };
}

/** A change of status, in which no money moves. */
function statusPlan(
  { programId }: ProcessorEvent,
  writes: readonly WriteAction[],
  refusal: (failedConditions: FailedConditions) => ApiError,
): EventPlan {
  return {
    commit: { programId, at: now(), accounts: [], writes },
    result: { outcome: "applied" },
    again: (failedConditions) => ({ refused: codeOf(refusal(failedConditions)) }),
  };
}

function codeOf({ code }: ApiError): RefusalCode {
  return code === "NOT_FOUND" ? "NOT_FOUND" : "ILLEGAL_TRANSITION";
}

function missing(error: unknown): undefined {
  if (error instanceof ApiError && error.code === "NOT_FOUND") return undefined;
  throw error;
}
