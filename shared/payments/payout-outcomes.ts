import { differs } from "../deposits/bank/payment.ts";
import { timestamp } from "../platform/clock.ts";
import {
  accountReads,
  type Decision,
  type FoundAccount,
  known,
  type Outcome,
  type OutcomeChange,
  suspending,
} from "./outcome.ts";
import { tellOfRejected } from "./payment-step.ts";
import { comeBack, leave, type Payout, payoutSteps, release } from "./payout.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";

/**
 * The money has left the bank. After a rejection it is booked all the same, also below zero. After
 * a return, or said again, it moves nothing.
 */
export const payoutCompletion: OutcomeChange<FoundPayout> = {
  reads: readPayout,
  decide: (outcome, { payout }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    if (payout.status === "completed" || payout.status === "returned")
      return payoutSteps.decideBooked(payout, outcome);
    return payoutSteps.decideOutcome(payout, outcome, {
      ...{ trigger: "complete", at },
      set: { completedAt: timestamp(at) },
      moved: leave(payout, at),
      writes: tellOfRejected(payout, outcome, "A payout left the bank"),
    });
  },
};

/** The bank does not pay: the Wallet has amount and fee again. */
export const payoutRejection: OutcomeChange<FoundPayout & FoundAccount> = {
  reads: (outcome) => ({ ...readPayout(outcome), ...accountReads }),
  decide: (outcome, { payout, ...found }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    const decided = payoutSteps.decideRejection(payout, outcome, at, { moved: release(payout, at) });
    return suspending(outcome.reasonCode, found, decided);
  },
};

const anotherAmount = "A payout that has come back comes back with another amount. Nothing is booked:";

/**
 * What was paid comes back, never more than it, and whenever it comes. One that comes before the
 * debit is as if completed first: the fee stays. Of another amount, the operator is told.
 */
export const payoutReturn: OutcomeChange<FoundPayout & FoundAccount> = {
  reads: (outcome) => ({ ...readPayout(outcome), ...accountReads }),
  decide: (outcome, { payout, ...found }, at) => {
    if (!payout) return { rejected: "NOT_FOUND" };
    if (payout.sentAt === undefined) return { rejected: "NOT_SENT" };
    const { amountMinor: returnedMinor = payout.amountMinor } = outcome;
    if (returnedMinor > payout.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
    const isAgain = payout.status === "returned";
    const decided = isAgain
      ? returnAgain(payout, outcome, returnedMinor, at)
      : returnFirst(payout, outcome, returnedMinor, at);
    return suspending(outcome.reasonCode, found, decided);
  },
};

function returnFirst(payout: Payout, outcome: Outcome, returnedMinor: number, at: Date): Decision {
  const returnedAt = timestamp(at);
  const { reasonCode, entry } = outcome;
  return payoutSteps.decideOutcome(payout, outcome, {
    ...{ trigger: "return", at },
    set: {
      ...{ returnedAt, returnedMinor },
      ...(entry !== undefined && { returnEntries: [toEntry(outcome, entry, returnedMinor)] }),
      ...(payout.status !== "completed" && { completedAt: returnedAt }),
      ...(reasonCode !== undefined && { returnedCode: reasonCode }),
    },
    moved: comeBack(payout, returnedMinor, at),
    writes: tellOfRejected(payout, outcome, "A payout came back"),
  });
}

function toEntry(outcome: Outcome, entry: string, amountMinor: number) {
  const { movedBy: { report, file, name } = {} } = outcome;
  return { entry, amountMinor, report, file, name };
}

/**
 * An entry is money, and a report is not: entries that come to more than was booked are booked up
 * to what was paid, each once. What is beyond that is not of this payout.
 */
function returnAgain(payout: Payout, outcome: Outcome, amountMinor: number, at: Date): Decision {
  const { returnedMinor = 0, returnEntries = [], alsoReturnedMinor } = payout;
  const { entry, isUnsaid } = outcome;
  if (entry === undefined) {
    if (amountMinor === returnedMinor || alsoReturnedMinor !== undefined) return known(payout);
    return payoutSteps.keep(payout, outcome, { alsoReturnedMinor: amountMinor }, anotherAmount);
  }
  const given = toEntry(outcome, entry, amountMinor);
  const alike = returnEntries.filter((one) => one.amountMinor === amountMinor);
  // Without a reference, an equal amount is the same entry in another statement.
  const isSame = (one: (typeof alike)[number]) =>
    one.entry && entry ? one.entry === entry : one.file !== given.file || one.name === given.name;
  if (alike.some(isSame)) return known(payout);
  // A report has told of it: else it is other money.
  const isTold = returnEntries.length === 0 && amountMinor === returnedMinor;
  if (isUnsaid && !isTold) return { rejected: "ILLEGAL_TRANSITION" };
  const all = [...returnEntries, given];
  const sumMinor = all.reduce((sum, one) => sum + one.amountMinor, 0);
  // Two kinds of report may call one entry by two references of the bank's: more cannot come back.
  if (alike.some((one) => differs(one.report, given.report)))
    return sumMinor > payout.amountMinor ? known(payout) : { rejected: "BOOKED_TWICE" };
  if (sumMinor > payout.amountMinor) return { rejected: "AMOUNT_TOO_LARGE" };
  const set = { returnEntries: all };
  const asRead = { returnEntries: payout.returnEntries, returnedMinor };
  if (sumMinor === returnedMinor) return payoutSteps.note(payout, set, asRead);
  if (sumMinor < returnedMinor) {
    if (alsoReturnedMinor !== undefined) return payoutSteps.note(payout, set, asRead);
    return payoutSteps.keep(payout, outcome, { ...set, alsoReturnedMinor: amountMinor }, anotherAmount);
  }
  return payoutSteps.decideOutcome(payout, outcome, {
    ...{ trigger: "return", at, asRead },
    set: { ...set, returnedMinor: sumMinor },
    moved: comeBack(payout, sumMinor - returnedMinor, at),
  });
}
