import fc from "fast-check";
import type { Command } from "./commands.ts";
import type { DisputeStatus } from "./debits.ts";
import { settledNames } from "./settlements.ts";

const amount = fc.integer({ min: 1, max: 400 });
const upToAll = fc.option(amount, { nil: undefined });
/** Often the same few, so that they get far. */
const nth = fc.oneof(fc.nat({ max: 1 }), fc.nat({ max: 1_000 }));
const slot = fc.nat({ max: 4 });
const name = <const T extends Command["do"]>(value: T) => fc.constant(value);

const saidByNetwork = fc.constantFrom<DisputeStatus[]>(
  ...(["new", "submitted", "won", "lost", "expired", "withdrawn"] as const),
  ...(["pending_customer", "pending_customer", "representment", "representment"] as const),
  ...(["pre_arbitration", "arbitration"] as const),
);

const ofDispute: fc.Arbitrary<Command> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: name("dispute"), nth, amount: upToAll }) },
  { weight: 2, arbitrary: fc.record({ do: name("disputeChange"), nth, amount: upToAll }) },
  { weight: 5, arbitrary: fc.record({ do: name("disputeStep"), nth, step: fc.constant("submit" as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ do: name("disputeStep"), nth },
      step: fc.constantFrom("escalate" as const, "write_off" as const, "withdraw" as const),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: name("disputeOutcome"), nth, status: saidByNetwork }) },
  { weight: 2, arbitrary: fc.record({ do: name("evidence"), nth }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ do: name("disputeDue"), nth, step: fc.constantFrom("credit" as const, "end" as const) },
      days: fc.constantFrom(1, 9, 20, 20, 40, 130),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: name("chargeback"), nth, amount: upToAll }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: name("outcome"), nth, status: fc.constantFrom(1, 2, 3, 4, 5) }),
  },
);

const posted = fc.record({
  ...{ do: name("postedReversal"), slot, amount: upToAll },
  ...{ total: fc.boolean(), mayBeDone: fc.boolean() },
});

/** Of settlements: disputed, refunded, reversed. */
export const disputeCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: ofDispute },
  { weight: 1, arbitrary: fc.record({ do: name("refundOf"), nth, amount }) },
  { weight: 1, arbitrary: fc.record({ do: name("refundReversal"), nth }) },
  { weight: 2, arbitrary: posted },
);

/** What can still come for a closed Card. */
export const closedCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: disputeCommand },
  { weight: 1, arbitrary: fc.record({ do: name("clearing"), slot, amount, final: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom(...settledNames), amount }) },
  {
    weight: 1,
    arbitrary: fc.record({ do: name("cashReversal"), cash: fc.nat({ max: 1 }), amount: upToAll }),
  },
  { weight: 1, arbitrary: fc.record({ do: name("inquiry") }) },
);
