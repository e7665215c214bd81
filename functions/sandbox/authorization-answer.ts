import type { z } from "zod";
import type { SandboxAuthorizationResponse } from "../../shared/contract/sandbox-network.ts";
import { answerEvent } from "../../shared/domain/network/answer-event.ts";
import type { CardEvent } from "../../shared/domain/network/card-plan.ts";
import type { AppliedResult } from "../../shared/domain/network/event-plan.ts";
import { planCardEvent } from "../../shared/domain/network/plan-card-event.ts";
import type { IdempotencyKey } from "../../shared/platform/idempotency/idempotency-key.ts";
import { transactionIn } from "./card-event.ts";

type AuthorizationAnswer = z.input<typeof SandboxAuthorizationResponse>;

/** Applies an event that asks for, or tells of, an authorization, and answers what became of it, amounts in minor units. */
export function answerAuthorization(
  event: CardEvent,
  key: IdempotencyKey | undefined,
): Promise<AuthorizationAnswer> {
  return answerEvent({ event, plan: () => planCardEvent(event), key, answer: answerOf });
}

function answerOf(result: AppliedResult): AuthorizationAnswer {
  const { authorizationId, approved, declineReason, amount } = result;
  if (authorizationId === undefined || approved === undefined || amount === undefined) {
    throw new Error("The event decided no authorization.");
  }
  return { authorizationId, approved, declineReason, amount, ...transactionIn(result) };
}
