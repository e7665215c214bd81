import { endsMandate, mandateEnd } from "./mandate.ts";
import type { OutcomeChange } from "./outcome.ts";
import { type Pull, pulls } from "./pull.ts";
import { pullSteps } from "./pull-step.ts";

/** The bank does not collect it. What has come goes back with a return alone. */
export const pullRejection: OutcomeChange<{ readonly pull: Pull | undefined }> = {
  reads: ({ programId, paymentId }) => ({ pull: pulls.at(programId, paymentId) }),
  decide: (outcome, { pull }, at) => {
    if (!pull) return { rejected: "NOT_FOUND" };
    if (pull.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { reasonCode } = outcome;
    const isKept = pull.status !== "sent" && endsMandate(reasonCode);
    const writes = isKept ? [mandateEnd(pull, at, reasonCode)] : [];
    return pullSteps.decideRejection(pull, outcome, at, { writes });
  },
};
