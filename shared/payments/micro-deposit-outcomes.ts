import { unread } from "../changes/change.ts";
import { externalAccountUpdate, nextStatus } from "../external-accounts/external-account.ts";
import { type JournalEntry, journalEntry } from "../ledger/journal-entry.ts";
import { microDepositCameBack, microDepositLeft } from "../ledger/movements.ts";
import { timestamp } from "../platform/clock.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type MicroDeposit, microDeposits, microDepositTransitions } from "./micro-deposit.ts";
import { accountReads, type FoundAccount, type OutcomeChange, readAccount, suspending } from "./outcome.ts";
import { PaymentSteps, tellOfRejected } from "./payment-step.ts";

interface Found extends FoundAccount {
  readonly microDeposit: MicroDeposit | undefined;
}

type MicroDepositChange = OutcomeChange<Found>;

const steps = new PaymentSteps({
  name: "micro-deposit",
  at: (programId, paymentId) => microDeposits.at(programId, paymentId),
  transitions: microDepositTransitions,
  toView: (microDeposit: MicroDeposit) => microDeposit,
});

const reads: MicroDepositChange["reads"] = ({ programId, paymentId }) => ({
  microDeposit: microDeposits.at(programId, paymentId),
  ...accountReads,
});

/** It has left the bank: the Program's reserve has paid it. */
export const microDepositCompletion: MicroDepositChange = {
  reads,
  decide: (outcome, { microDeposit: before }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    if (before.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (before.completedAt !== undefined) return steps.decideBooked(before, outcome);
    return steps.decideOutcome(before, outcome, {
      ...{ trigger: "complete", at },
      set: { completedAt: timestamp(at) },
      moved: { entries: [leave(before, at)] },
      writes: tellOfRejected(before, outcome, "A micro-deposit left the bank"),
    });
  },
};

/** The bank does not pay it: the verification has failed. What has left moves nothing. */
export const microDepositRejection: MicroDepositChange = {
  reads,
  decide: (outcome, { microDeposit: before, externalAccount }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    if (before.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (before.status === "sent" && externalAccount === unread) return readAccount(before);
    const writes = before.status === "sent" ? failVerification(before, externalAccount) : [];
    const decided = steps.decideRejection(before, outcome, at, { writes });
    return suspending(outcome.reasonCode, { externalAccount }, decided);
  },
};

/** It comes back, once: the verification has failed. Before its debit, it is as if paid first. */
export const microDepositReturn: MicroDepositChange = {
  reads,
  decide: (outcome, { microDeposit: before, externalAccount }, at) => {
    if (!before) return { rejected: "NOT_FOUND" };
    if (before.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { amountMinor: returnedMinor = before.amountMinor } = outcome;
    if (returnedMinor > before.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
    if (before.status === "returned") {
      // An entry of another amount is other money.
      const isOther = outcome.entry !== undefined && returnedMinor !== before.returnedMinor;
      return isOther ? { rejected: "AMOUNT_TOO_LARGE" } : steps.decideBooked(before, outcome);
    }
    if (externalAccount === unread) return readAccount(before);
    const returnedAt = timestamp(at);
    const { paymentId, completedAt = returnedAt } = before;
    const isBooked = before.completedAt !== undefined;
    const back = journalEntry("micro_deposit_return", paymentId, microDepositCameBack(returnedMinor), at);
    const decided = steps.decideOutcome(before, outcome, {
      ...{ trigger: "return", at, set: { returnedAt, returnedMinor, completedAt } },
      moved: { entries: [...(isBooked ? [] : [leave(before, at)]), back] },
      writes: failVerification(before, externalAccount),
    });
    return suspending(outcome.reasonCode, { externalAccount }, decided);
  },
};

function leave({ paymentId, amountMinor }: MicroDeposit, at: Date): JournalEntry {
  return journalEntry("micro_deposit", paymentId, microDepositLeft(amountMinor), at);
}

/** Only the verification that it belongs to, while that lasts. */
function failVerification({ paymentId }: MicroDeposit, before: Found["externalAccount"]): WriteAction[] {
  if (before === undefined || before === unread) return [];
  const status = nextStatus(before.status, "bounce");
  if (!before.microDeposits?.paymentIds.includes(paymentId) || !status) return [];
  return [externalAccountUpdate(before, { ...before, status, statusReason: "RETURNED" })];
}
