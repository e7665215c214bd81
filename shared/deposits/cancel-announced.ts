import { defineChange, type StepRefusal } from "../changes/change.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { DepositView } from "../contract/wallets.ts";
import { illegalStatus } from "../platform/http/api-error.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Deposit, deposits } from "./deposit.ts";
import { toDepositView } from "./deposit-view.ts";
import { cancelledNotice, isExpected } from "./expected.ts";
import { settleDeposit } from "./settle-deposit.ts";

interface Cancellation {
  readonly programId: string;
  readonly depositId: string;
  /** What else is in the same commit. */
  readonly writes?: (deposit: Deposit) => readonly WriteAction[];
}

/**
 * Reverses a deposit that a client announced and the bank has not reported. What comes later is
 * another deposit. Of cancellation and report one wins.
 */
export const cancellation = defineChange<Cancellation, DepositView, StepRefusal>()({
  reads: ({ programId, depositId }) => ({ deposit: deposits.at(programId, depositId) }),
  decide: ({ writes }, { deposit }, at) => {
    if (!deposit) return { rejected: "NOT_FOUND" };
    if (!isExpected(deposit)) return illegalStatus(deposit.status, ["expected"], DepositStatus);
    const { commit, changed } = settleDeposit(deposit, "reverse", at);
    return {
      ...commit,
      writes: [...commit.writes, cancelledNotice(deposit), ...(writes?.(deposit) ?? [])],
      answer: toDepositView({ ...deposit, ...changed }),
    };
  },
});
