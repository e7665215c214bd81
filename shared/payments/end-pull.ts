import type { Change } from "../changes/change.ts";
import { defineChange } from "../changes/define-change.ts";
import { DepositStatus } from "../contract/enums.ts";
import type { PullView } from "../contract/pulls.ts";
import { settleDeposit } from "../deposits/settle-deposit.ts";
import { timestamp } from "../platform/clock.ts";
import {
  type AuditPull,
  asPull,
  type FoundPull,
  findDeposit,
  pullReads,
  pullSteps,
  readPull,
} from "./pull-step.ts";

interface Cancellation {
  readonly programId: string;
  readonly pullId: string;
  /** The API user. */
  readonly by: string;
  readonly audit?: AuditPull;
}

/** Ends a pull that no file has. Of cancellation and file one wins. */
export const pullCancellation = defineChange<Cancellation, PullView, "NOT_FOUND" | "ILLEGAL_TRANSITION">()({
  reads: ({ programId, pullId }) => readPull({ programId, paymentId: pullId }),
  decide: ({ by, audit }, { pull }, at) =>
    pull ? pullSteps.decideStep(pull, { trigger: "cancel", by, at, audit }) : { rejected: "NOT_FOUND" },
});

/** The hold days are over: it can be spent. Of this and a return, one comes first. */
export const pullClearing: Change<
  { readonly programId: string; readonly pullId: string },
  FoundPull,
  PullView,
  "NOT_FOUND" | "ILLEGAL_TRANSITION"
> = {
  reads: ({ programId, pullId }) => pullReads(programId, pullId),
  decide: (_deadline, { pull, deposit: read }, at) => {
    if (!pull) return { rejected: "NOT_FOUND" };
    const completedAt = timestamp(at);
    if (pull.status !== "collected" || completedAt < (pull.availableOn ?? ""))
      return { rejected: "ILLEGAL_TRANSITION" };
    const found = findDeposit(pull, read);
    if ("readMore" in found) return found;
    const { deposit } = found;
    const step = { by: "platform", at };
    // The bank has taken the deposit back by its own id.
    if (deposit?.status === DepositStatus.reversed || deposit?.status === DepositStatus.returned)
      return pullSteps.decideStep(pull, { ...step, trigger: "return", set: { returnedAt: completedAt } });
    const isPending = deposit?.status === DepositStatus.pending;
    const moved = isPending ? asPull(settleDeposit(deposit, "clear", at), "deposit_cleared") : undefined;
    return pullSteps.decideStep(pull, { ...step, trigger: "clear", set: { completedAt }, moved });
  },
};
