import type { z } from "zod";
import { ApiError } from "../api-error.ts";
import type { ProcessorEvent } from "../contract/processor.ts";
import type { SandboxDepositResponse } from "../contract/sandbox.ts";
import type { IdempotencyKey } from "../idempotency/idempotency-key.ts";
import { answerBalances } from "./answer-event.ts";
import { planDeposit } from "./plan-deposit.ts";

type DepositEvent = Extract<ProcessorEvent, { kind: `deposit_${string}` }>;
type DepositAnswer = z.output<typeof SandboxDepositResponse>;

/**
 * Applies a deposit's event for a caller who is answered at once with the balances after it, in minor units. The event's id must be
 * new.
 *
 * @throws ApiError NOT_FOUND, ILLEGAL_TRANSITION, IDEMPOTENCY_MISMATCH
 * @throws TransactionContendedError when, with an idempotency key, the balances kept changing.
 */
export async function applyDeposit(event: DepositEvent, key?: IdempotencyKey): Promise<DepositAnswer> {
  const planned = await planDeposit(event);
  if ("refused" in planned) throw new ApiError(planned.refused);
  const { account, depositId } = planned.deposit;
  return answerBalances({
    event,
    plan: async () => planned,
    account,
    key,
    answer: (_, balances) => ({ depositId, ...balances }),
  });
}
