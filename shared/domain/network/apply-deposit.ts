import type { z } from "zod";
import type { SandboxDepositResponse } from "../../contract/sandbox.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import type { IdempotencyKey } from "../../platform/idempotency/idempotency-key.ts";
import { answerBalances, answerEvent } from "./answer-event.ts";
import type { AppliedResult } from "./event-plan.ts";
import { type DepositEvent, planDeposit } from "./plan-deposit.ts";

type DepositAnswer = z.output<typeof SandboxDepositResponse>;

/**
 * Applies a deposit's event for a caller who is answered at once with the balances after it, in minor units. The event's id must be
 * new.
 *
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, IDEMPOTENCY_MISMATCH
 * @throws ContendedError when, with an idempotency key, the balances kept changing.
 */
export async function applyDeposit(event: DepositEvent, key?: IdempotencyKey): Promise<DepositAnswer> {
  const planned = await planDeposit(event);
  if ("refused" in planned) throw new ApiError(planned.refused);
  const plan = async () => planned;
  const { account } = planned;
  if (!account) {
    // Money of an account that does not exist: there are no balances to show.
    const none = { availableBalance: 0, ledgerBalance: 0 };
    return answerEvent({ event, plan, key, answer: (result) => ({ ...idsIn(result), ...none }) });
  }
  return answerBalances({
    event,
    plan,
    account,
    key,
    answer: (result, balances) => ({ ...idsIn(result), ...balances }),
  });
}

function idsIn({ depositId, suspenseId }: AppliedResult): Pick<DepositAnswer, "depositId" | "suspenseId"> {
  if (depositId === undefined) throw new Error("The event has no deposit.");
  return { depositId, ...(suspenseId !== undefined && { suspenseId }) };
}
