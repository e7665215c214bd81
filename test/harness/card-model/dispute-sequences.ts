import fc from "fast-check";
import type { Command } from "./commands.ts";
import type { DisputeStatus } from "./debits.ts";
import { settledNames } from "./settlements.ts";

const amount = fc.integer({ min: 1, max: 400 });
const upToAll = fc.option(amount, { nil: undefined });
/** Often the same few, so that they get far. */
const nth = fc.oneof(fc.nat({ max: 1 }), fc.nat({ max: 1_000 }));
const slot = fc.nat({ max: 4 });

type Fields<C> = { readonly [F in keyof C]: fc.Arbitrary<C[F]> };
type Row<C = Command> = C extends { readonly do: infer N }
  ? readonly [weight: number, name: N | readonly N[], fields?: Fields<Omit<C, "do">>]
  : never;

/** Commands by weight, with arbitrary fields: `[3, "refundOf", { nth, amount }]`. */
export const commandsOf = (...rows: readonly Row[]): fc.Arbitrary<Command> =>
  fc.oneof(
    ...rows.map(([weight, name, fields]) => {
      const names = fc.constantFrom(...[name].flat());
      return { weight, arbitrary: fc.record({ do: names, ...fields }) };
    }),
  ) as fc.Arbitrary<Command>;

/** One of these, as often as it is named. */
export const oneOf = <const T extends string | number>(...values: readonly T[]) => fc.constantFrom(...values);

const saidByNetwork = fc.constantFrom<DisputeStatus[]>(
  ...(["new", "submitted", "won", "lost", "expired", "withdrawn"] as const),
  ...(["pending_customer", "pending_customer", "representment", "representment"] as const),
  ...(["pre_arbitration", "arbitration"] as const),
);

const ofDispute = commandsOf(
  [4, "dispute", { nth, amount: upToAll }],
  [2, "disputeChange", { nth, amount: upToAll }],
  [5, "disputeStep", { nth, step: oneOf("submit") }],
  [3, "disputeStep", { nth, step: oneOf("escalate", "write_off", "withdraw") }],
  [6, "disputeOutcome", { nth, status: saidByNetwork }],
  [2, "evidence", { nth }],
  [4, "disputeDue", { nth, step: oneOf("credit", "end"), days: oneOf(1, 9, 20, 20, 40, 130) }],
  [1, "chargeback", { nth, amount: upToAll }],
  [2, "outcome", { nth, status: oneOf(1, 2, 3, 4, 5) }],
);

const posted = { slot, amount: upToAll, total: fc.boolean(), mayBeDone: fc.boolean() };

/** Of settlements: disputed, refunded, reversed. */
export const disputeCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 8, arbitrary: ofDispute },
  {
    weight: 4,
    arbitrary: commandsOf(
      [1, "refundOf", { nth, amount }],
      [1, "refundReversal", { nth }],
      [2, "postedReversal", posted],
    ),
  },
);

/** What can still come for a closed Card. */
export const closedCommand: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: disputeCommand },
  {
    weight: 5,
    arbitrary: commandsOf(
      [1, "clearing", { slot, amount, final: fc.boolean() }],
      [2, settledNames, { amount }],
      [1, "cashReversal", { cash: fc.nat({ max: 1 }), amount: upToAll }],
      [1, "inquiry"],
    ),
  },
);
