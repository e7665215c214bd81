import { timestamp } from "../platform/clock.ts";
import { endsMandate, mandateEnd } from "./mandate.ts";
import { known, type OutcomeChange, tellOperator } from "./outcome.ts";
import { type Pull, pulls } from "./pull.ts";
import { decidePullOutcome } from "./pull-step.ts";

/**
 * The bank does not collect it. What has come goes back with a return alone: then this moves
 * nothing, and the operator is told.
 */
export const pullRejection: OutcomeChange<{ readonly pull: Pull | undefined }> = {
  reads: ({ programId, paymentId }) => ({ pull: pulls.at(programId, paymentId) }),
  decide: (outcome, { pull }, at) => {
    if (!pull) return { rejected: "NOT_FOUND" };
    if (pull.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (pull.rejectedAt !== undefined) return known(pull);
    const { programId, paymentId, status } = pull;
    const rejectedAt = timestamp(at);
    const { reasonCode } = outcome;
    const set = { rejectedAt, ...(reasonCode !== undefined && { rejectedCode: reasonCode }) };
    if (status === "sent") return decidePullOutcome(pull, outcome, { trigger: "reject", at, set });
    const reason = `The bank rejects a pull that is ${status}. Nothing is booked:`;
    return {
      accounts: [],
      writes: [
        pulls.at(programId, paymentId).update({ set }, { status, rejectedAt: undefined }),
        tellOperator(pull, outcome, reason),
        ...(endsMandate(reasonCode) ? [mandateEnd(pull, at, reasonCode)] : []),
      ],
      answer: { result: "kept", payment: { ...pull, ...set } },
    };
  },
};
