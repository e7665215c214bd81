import { endsMandate, mandateEnd } from "./mandate.ts";
import { accountReads, type FoundAccount, type OutcomeChange, suspending } from "./outcome.ts";
import { type Pull, pulls } from "./pull.ts";
import { pullSteps } from "./pull-step.ts";

/** The bank does not collect it. What has come goes back with a return alone. */
export const pullRejection: OutcomeChange<FoundAccount & { readonly pull: Pull | undefined }> = {
  reads: ({ programId, paymentId }) => ({ pull: pulls.at(programId, paymentId), ...accountReads }),
  decide: (outcome, { pull, ...found }, at) => {
    if (!pull) return { rejected: "NOT_FOUND" };
    if (pull.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { reasonCode } = outcome;
    const isKept = pull.status !== "sent" && endsMandate(reasonCode);
    const writes = isKept ? [mandateEnd(pull, at, reasonCode)] : [];
    return suspending(reasonCode, found, pullSteps.decideRejection(pull, outcome, at, { writes }));
  },
};
