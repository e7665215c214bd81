import { currencyNames, DepositStatus } from "../contract/enums.ts";
import { newDeposit } from "../deposits/new-deposit.ts";
import { timestamp } from "../platform/clock.ts";
import { deadlinePut } from "../platform/deadlines.ts";
import { newId } from "../platform/id.ts";
import { defined } from "../platform/pick.ts";
import { getProgram, type Program } from "../tenancy/programs/program.ts";
import { bankDayAfter } from "./bank-days.ts";
import { pullLimits } from "./limits.ts";
import { endsMandate, mandateEnd } from "./mandate.ts";
import { accountReads, type FoundAccount, type OutcomeChange, suspending, tellOperator } from "./outcome.ts";
import { tellOfRejected } from "./payment-step.ts";
import { clearing, clearingId, type Pull, pulls, returnableUntil } from "./pull.ts";
import { asPull, type FoundPull, findDeposit, pullReads, pullSteps, takeBack } from "./pull-step.ts";

interface Found {
  readonly pull: Pull | undefined;
  readonly program: Program | undefined;
}

/**
 * The money has come: a pending deposit, until the hold days are over. Also after a rejection,
 * which the operator is told. After a return, or said again, it moves nothing.
 */
export const pullCollection: OutcomeChange<Found> = {
  reads: ({ programId, paymentId }) => ({
    pull: pulls.at(programId, paymentId),
    program: { get: () => getProgram(programId) },
  }),
  decide: (outcome, { pull, program }, at) => {
    if (!pull || !program) return { rejected: "NOT_FOUND" };
    if (pull.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { programId, paymentId, walletId, status, amountMinor, currency, reference } = pull;
    if (outcome.amountMinor !== undefined && outcome.amountMinor !== amountMinor)
      return { rejected: outcome.amountMinor > amountMinor ? "AMOUNT_TOO_LARGE" : "ILLEGAL_TRANSITION" };
    if (status !== "sent" && status !== "rejected") return pullSteps.decideBooked(pull, outcome);
    const depositId = newId("deposit");
    const { timeZone } = program.settings;
    const dueAt = bankDayAfter(at, pullLimits(program).holdDays, currencyNames[currency], timeZone);
    const deposit = newDeposit(
      {
        ...{ programId, depositId, amountMinor, currency, channel: "bank", status: DepositStatus.pending },
        account: { kind: "wallet", accountId: walletId },
        ...(reference !== undefined && { reference }),
      },
      at,
    );
    const due = { ownerId: programId, deadlineId: clearingId(paymentId), pullId: paymentId, dueAt };
    return pullSteps.decideOutcome(pull, outcome, {
      ...{ trigger: "collect", at },
      set: { depositId, collectedAt: timestamp(at), availableOn: timestamp(dueAt) },
      moved: asPull(deposit, "pull_collected"),
      writes: [deadlinePut(clearing.at(due)), ...tellOfRejected(pull, outcome, "A pull was collected")],
    });
  },
};

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
    if (pull.status === "returned") return pullSteps.decideBooked(pull, outcome);
    const found = findDeposit(pull, read);
    if ("readMore" in found) return found;
    const returnedAt = timestamp(at);
    const set = { returnedAt, ...defined({ returnedCode: reasonCode }) };
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
