import { timestamp } from "../platform/clock.ts";
import {
  accountReads,
  type FoundAccount,
  known,
  type OutcomeChange,
  suspending,
  tellOperator,
} from "./outcome.ts";
import { returnableUntil } from "./pull.ts";
import { type FoundPull, findDeposit, pullReads, pullSteps, takeBack } from "./pull-step.ts";

/**
 * The bank takes it back, whenever that is: the money is gone. If it never came, nothing moves,
 * and nothing does when it comes.
 */
export const pullReturn: OutcomeChange<FoundPull & FoundAccount> = {
  reads: ({ programId, paymentId }) => ({ ...pullReads(programId, paymentId), ...accountReads }),
  decide: (outcome, { pull, deposit: read, externalAccount }, at) => {
    if (!pull) return { rejected: "NOT_FOUND" };
    if (pull.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { amountMinor = pull.amountMinor, reasonCode } = outcome;
    if (amountMinor > pull.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
    if (amountMinor < pull.amountMinor) return { rejected: "ILLEGAL_TRANSITION" };
    if (pull.status === "returned") return known(pull);
    const found = findDeposit(pull, read);
    if ("readMore" in found) return found;
    const returnedAt = timestamp(at);
    const set = { returnedAt, ...(reasonCode !== undefined && { returnedCode: reasonCode }) };
    const until = returnableUntil({ ...pull, ...set });
    const isLate = until !== undefined && until < returnedAt;
    const reason = "A pull came back after its time. It is booked:";
    const decided = pullSteps.decideOutcome(pull, outcome, {
      ...{ trigger: "return", at, set },
      moved: takeBack(found.deposit, at),
      writes: isLate ? [tellOperator(pull, outcome, reason)] : [],
    });
    return suspending(reasonCode, { externalAccount }, decided);
  },
};
