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
import type { Payout } from "./payout.ts";
import { type FoundPayout, readPayout } from "./payout-request.ts";
import { comeBack, payoutSteps } from "./payout-step.ts";

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
      ...(entry !== undefined && { returnEntries: [{ entry, amountMinor: returnedMinor }] }),
      ...(payout.status !== "completed" && { completedAt: returnedAt }),
      ...(reasonCode !== undefined && { returnedCode: reasonCode }),
    },
    moved: comeBack(payout, returnedMinor, at),
    writes: tellOfRejected(payout, outcome, "A payout came back"),
  });
}

/** A return of what has come back already. */
interface Again {
  readonly payout: Payout;
  readonly outcome: Outcome;
  readonly at: Date;
  readonly amountMinor: number;
  /** What is booked of it. */
  readonly returnedMinor: number;
  /** Another amount was said before, and the operator told. */
  readonly isTold: boolean;
  /** An entry, unless it is a report. */
  readonly entry: string | undefined;
  readonly isKnown: boolean;
  /** All its entries, with this one, and what they come to. */
  readonly entries: NonNullable<Payout["returnEntries"]>;
  readonly sumMinor: number;
}

/**
 * An entry is money, and a report is not: entries that come to more than was booked are booked up
 * to what was paid, each once. What is beyond that is not of this payout. The first row that fits.
 */
const ways: readonly (readonly [fits: (again: Again) => boolean, decide: (again: Again) => Decision])[] = [
  [reportIf(({ amountMinor, returnedMinor }) => amountMinor === returnedMinor), saysNothingNew],
  [reportIf(({ isTold }) => isTold), saysNothingNew],
  [reportIf(() => true), tell],
  [({ isKnown }) => isKnown, saysNothingNew],
  [({ sumMinor, payout }) => sumMinor > payout.amountMinor, () => ({ rejected: "AMOUNT_TOO_LARGE" })],
  [({ sumMinor, returnedMinor }) => sumMinor > returnedMinor, book],
  [({ sumMinor, returnedMinor }) => sumMinor === returnedMinor, note],
  [({ isTold }) => isTold, note],
  [() => true, tell],
];

function returnAgain(payout: Payout, outcome: Outcome, amountMinor: number, at: Date): Decision {
  const { returnedMinor = 0, returnEntries = [], alsoReturnedMinor } = payout;
  const { entry } = outcome;
  const entries = entry === undefined ? returnEntries : [...returnEntries, { entry, amountMinor }];
  const again: Again = {
    ...{ payout, outcome, at, amountMinor, returnedMinor, entry, entries },
    isTold: alsoReturnedMinor !== undefined,
    // Without a reference, an equal amount is the same entry in another statement.
    isKnown: returnEntries.some(
      (one) => one.amountMinor === amountMinor && (one.entry === entry || one.entry === "" || entry === ""),
    ),
    sumMinor: entries.reduce((sum, one) => sum + one.amountMinor, 0),
  };
  const [, decide] = ways.find(([fits]) => fits(again)) ?? [];
  return decide ? decide(again) : known(payout);
}

function reportIf(fits: (again: Again) => boolean): (again: Again) => boolean {
  return (again) => again.entry === undefined && fits(again);
}

function saysNothingNew({ payout }: Again): Decision {
  return known(payout);
}

function note({ payout, entries, returnedMinor }: Again): Decision {
  const asRead = { returnEntries: payout.returnEntries, returnedMinor };
  return payoutSteps.note(payout, { returnEntries: entries }, asRead);
}

function tell({ payout, outcome, entry, entries, amountMinor }: Again): Decision {
  const set = { ...(entry !== undefined && { returnEntries: entries }), alsoReturnedMinor: amountMinor };
  return payoutSteps.keep(payout, outcome, set, anotherAmount);
}

function book({ payout, outcome, at, entries, sumMinor, returnedMinor }: Again): Decision {
  return payoutSteps.decideOutcome(payout, outcome, {
    ...{ trigger: "return", at, asRead: { returnEntries: payout.returnEntries, returnedMinor } },
    set: { returnEntries: entries, returnedMinor: sumMinor },
    moved: comeBack(payout, sumMinor - returnedMinor, at),
  });
}
