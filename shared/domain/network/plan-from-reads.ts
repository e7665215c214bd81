import { now } from "../../platform/clock.ts";
import type { FailedConditions } from "../../platform/table/transact.ts";
import { type Cardholder, cardholders } from "../cardholders/cardholder.ts";
import { hasChanged, kycOutcomeWrites } from "../cardholders/cardholder-status.ts";
import { documentWrites, reviewDeadlineDelete } from "../cardholders/review.ts";
import { cards } from "../cards/card.ts";
import { type IssuanceDecisionWrites, prepareIssuanceDecision, toIssuanceError } from "../cards/issuance.ts";
import type { Change } from "../changes/change.ts";
import type { Redelivery } from "../changes/redelivery.ts";
import type { Account } from "../ledger/account.ts";
import type { Commit } from "../ledger/commit.ts";
import { challenges } from "../passcodes/passcode.ts";
import type { CardEvent, EventOf, PlannedEvent } from "./card-event.ts";
import {
  type AppliedResult,
  type CardOutcome,
  illegal,
  notFound,
  type Refusal,
  type Rejected,
} from "./plan.ts";
import { planChallenge, planCompletion, readChallengeSubject } from "./plan-challenge.ts";
import { type DepositOptions, planDeposit, readDepositSubject } from "./plan-deposit.ts";
import { planShipping } from "./plan-shipping.ts";

/** A plan that is made again from new reads, unless the failed conditions reject the event. */
export interface PlanFromReads {
  readonly commit: Commit;
  readonly result: AppliedResult;
  readonly redelivery?: Redelivery | Redelivery[] | undefined;
  readonly account?: Account;
  readonly isSuspension?: boolean;
  readonly reject?: (failed: FailedConditions) => Rejected | undefined;
  /** Called before it is made again. */
  readonly prepare?: (failed: FailedConditions) => Promise<void>;
}

export type OtherEvent = Exclude<PlannedEvent, { kind: CardEvent["kind"] }>;

export interface SentOtherEvent extends DepositOptions {
  readonly programId: string;
  readonly event: OtherEvent;
}

interface Found {
  readonly planned: PlanFromReads | Rejected | undefined;
}

/** The change of an event that is not of a Card's money. */
export const otherChange: Change<SentOtherEvent, Found, CardOutcome, Refusal> = {
  reads: (sent) => ({
    planned: {
      get: () => planFromReads(sent.event, sent),
      renew: async (seen, failed) => {
        if (!seen || "rejected" in seen) return seen;
        const rejected = seen.reject?.(failed);
        if (rejected) return rejected;
        await seen.prepare?.(failed);
        return planFromReads(sent.event, sent);
      },
    },
  }),
  decide: (_, { planned = notFound }) => {
    if ("rejected" in planned) return planned;
    const { commit, result, redelivery, account, isSuspension } = planned;
    const { programId: _id, at: _at, ...changed } = commit;
    return {
      ...changed,
      redelivery,
      answer: { result, isSuspension },
      ...(account && { balancesOf: account }),
    };
  },
};

async function planFromReads(event: OtherEvent, options: DepositOptions): Promise<PlanFromReads | Rejected> {
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
