import fc from "fast-check";
import { newId } from "../../../shared/platform/id.ts";
import type { Command } from "../../harness/card-model/commands.ts";
import { command } from "../../harness/card-model/sequences.ts";
import type { TimedEvent } from "./given-replayed.ts";

const minuteMs = 60_000;

const details = fc.record(
  {
    mcc: fc.constantFrom("5411", "5541", "6011"),
    merchantId: fc.constantFrom("M-1", "M-2"),
    merchantCountry: fc.constantFrom("DE", "US"),
    srcCurrency: fc.constantFrom("840", "978"),
    entryMode: fc.constantFrom("chip", "keyed", "ecommerce"),
  },
  { requiredKeys: [] },
);

/** What the network sends, but for what docs/controls.md says is answered as it was. */
const sent = command.filter(
  (one) =>
    !["deadline", "status", "block", "split", "incrementReversal"].includes(one.do) &&
    !("reference" in one && one.reference !== undefined),
);
const often = [
  ...["authorization", "increment", "advice", "reversal", "clearing", "atm", "cashReversal", "cashClearing"],
];
export const step = fc.record({
  command: fc.oneof(sent, { weight: 2, arbitrary: sent.filter(({ do: kind }) => often.includes(kind)) }),
  card: fc.nat({ max: 2 }),
  pauseMs: fc.oneof(
    fc.integer({ min: 0, max: 9 * minuteMs }),
    fc.integer({ min: 0, max: 5 * 60 * minuteMs }),
  ),
  details,
  late: fc.record({
    byMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 12 * 60 * minuteMs })),
    standIn: fc.boolean(),
    mayBeDone: fc.boolean(),
    withFee: fc.boolean(),
  }),
});

export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const targets: Partial<Record<Command["do"], Command["do"]>> = {
  refundReversal: "refund",
  feeReversal: "fee",
  clearDeposit: "deposit",
  reverseDeposit: "deposit",
  returnDeposit: "deposit",
  outcome: "chargeback",
};

/** With a time and an id for each; what they name has happened before. */
export function schedule(
  steps: readonly Step[],
  fromMs: number,
  before: readonly TimedEvent[],
): TimedEvent[] {
  const all = [...before];
  let atMs = fromMs;
  for (const { pauseMs, ...event } of steps) {
    atMs += pauseMs;
    const kind = targets[event.command.do];
    const named = all.filter(
      ({ card, command: { do: earlier } }) =>
        card === event.card &&
        (event.command.do === "chargeback"
          ? ["clearing", "forcePost", "atm"].includes(earlier)
          : earlier === kind),
    );
    const nth = "nth" in event.command ? event.command.nth : 0;
    all.push({ ...event, id: newId("event"), atMs, target: named[nth % (named.length || 1)]?.id });
  }
  return all.slice(before.length);
}
