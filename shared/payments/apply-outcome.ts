import { execute } from "../changes/execute.ts";
import {
  microDepositCompletion,
  microDepositRejection,
  microDepositReturn,
} from "./micro-deposit-outcomes.ts";
import type { Applied, Outcome, OutcomeChange, OutcomeRefusal } from "./outcome.ts";
import { type PaymentKind, payments } from "./payment.ts";
import { payoutCompletion, payoutRejection, payoutReturn } from "./payout-outcomes.ts";
import { pullCollection, pullRejection, pullReturn } from "./pull-outcomes.ts";

type Apply = (outcome: Outcome) => Promise<Applied | { readonly rejected: OutcomeRefusal }>;

function applying<Found extends object>(change: OutcomeChange<Found>): Apply {
  return async (outcome) => {
    const made = await execute(change, outcome);
    return "rejected" in made ? made : made.answer;
  };
}

/** A status that decides nothing yet: the payment stays as it is. */
const accept: Apply = async ({ programId, paymentId }) => {
  const payment = await payments.at(programId, paymentId).get();
  if (!payment) return { rejected: "NOT_FOUND" };
  return payment.sentAt === undefined ? { rejected: "NOT_SENT" } : { result: "known", payment };
};

/** What each kind does with what the bank says. What has no row cannot be said of it. */
const outcomes: Readonly<Record<PaymentKind, Partial<Record<Outcome["status"], Apply>>>> = {
  payout: {
    accepted: accept,
    completed: applying(payoutCompletion),
    rejected: applying(payoutRejection),
    returned: applying(payoutReturn),
  },
  pull: {
    accepted: accept,
    // The account's entry alone says that a pull's money has come.
    completed: accept,
    collected: applying(pullCollection),
    rejected: applying(pullRejection),
    returned: applying(pullReturn),
  },
  micro_deposit: {
    accepted: accept,
    completed: applying(microDepositCompletion),
    rejected: applying(microDepositRejection),
    returned: applying(microDepositReturn),
  },
};

export type OutcomeResult = Applied | { readonly result: "refused"; readonly reason: OutcomeRefusal };

/**
 * Books what the bank says of a payment, however often, in whichever order and by whatever way it
 * is told: the end is the same.
 * @throws ContendedError when the time for retries is up
 */
export async function applyOutcome(
  outcome: Outcome & { readonly kind: PaymentKind },
): Promise<OutcomeResult> {
  const apply = outcomes[outcome.kind][outcome.status];
  const made = apply ? await apply(outcome) : ({ rejected: "ILLEGAL_TRANSITION" } as const);
  return "rejected" in made ? { result: "refused", reason: made.rejected } : made;
}
