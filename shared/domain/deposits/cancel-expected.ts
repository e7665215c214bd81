import { DepositStatus } from "../../contract/enums.ts";
import { now } from "../../platform/clock.ts";
import type { IdempotencyKey } from "../../platform/idempotency.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import { commitIdempotent } from "../ledger/commit.ts";
import { type Deposit, deposits } from "./deposit.ts";
import { settleDeposit } from "./deposit-change.ts";
import { cancelledNotice } from "./expected.ts";

interface Cancellation<A> {
  readonly key?: IdempotencyKey | undefined;
  readonly answer: (cancelled: Deposit) => A;
  readonly writes?: (deposit: Deposit) => readonly WriteAction[];
}

/**
 * Reverses a deposit that a client announced and the bank has not reported. What comes later is
 * another deposit. Undefined if there is nothing to cancel: of cancellation and report one wins.
 * @throws ApiError IDEMPOTENCY_MISMATCH
 */
export async function cancelExpected<A = Deposit>(
  programId: string,
  depositId: string,
  { key, answer, writes }: Cancellation<A> = { answer: (cancelled) => cancelled as A },
): Promise<A | undefined> {
  return retry(async () => {
    const deposit = await deposits.at(programId, depositId).get();
    if (!deposit || deposit.status !== DepositStatus.pending || deposit.expiresAt === undefined)
      return undefined;
    const { commit, changed } = settleDeposit(deposit, "reverse", now());
    const done = {
      ...commit,
      writes: [...commit.writes, cancelledNotice(deposit), ...(writes?.(deposit) ?? [])],
    };
    const result = await commitIdempotent(done, key, answer({ ...deposit, ...changed }));
    return result.outcome === "failed" ? new Conflict("deposit") : result.answer;
  });
}
