import fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import { periodOfDate } from "../../../shared/platform/calendar.ts";
import { reconcile } from "../../../shared/settlements/reconcile.ts";
import { newTally } from "../../../shared/settlements/tally.ts";
import { storedEntries } from "../../harness/books.ts";
import type { Told } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenDay, toTokenNetwork } from "./given-day.ts";

afterEach(() => void vi.useRealTimers());

const amount = fc.integer({ min: 1, max: 5_000 });
const interchange = fc.option(fc.integer({ min: -90, max: 90 }), { nil: undefined });
const event: fc.Arbitrary<Told> = fc.oneof(
  fc.record({ kind: fc.constant("clearing" as const), amount, interchange }),
  fc.record({ kind: fc.constant("refund" as const), amount, interchange }),
  fc.record({
    kind: fc.constant("atm_withdrawal" as const),
    ...{ amount, interchange, feeAmount: fc.constantFrom(0, 250), advice: fc.boolean() },
  }),
  fc.record({ kind: fc.constant("fee" as const), feeType: fc.constant(2 as const), amount }),
  fc.record({ kind: fc.constant("balance_inquiry" as const) }),
);
const step = fc.record({ event, card: fc.nat(1), waitMinutes: fc.integer({ min: 0, max: 700 }) });

const timeZone = "Europe/Berlin";
/** The clocks change on the second day. */
const dates = ["2026-10-24", "2026-10-25", "2026-10-26"];

/** The same from a scan of the whole table. */
async function scanned(programId: string, date: string) {
  const { from, until } = periodOfDate("day", date, timeZone);
  const entries = storedEntries(await storedItems(programId)).filter(({ entry: { createdAt } }) => {
    const at = Date.parse(createdAt);
    return at >= from && at < until;
  });
  const sum = (account: string) =>
    entries
      .flatMap(({ entry }) => entry.postings)
      .filter((posting) => posting.account === account)
      .reduce((total, { amountMinor }) => total + amountMinor, 0);
  const [net, earned] = [sum("network_settlement"), sum("interchange_income")];
  const settling = entries.filter(({ entry: { kind } }) =>
    ["clearing", "refund", "atm_withdrawal"].includes(kind),
  );
  return {
    ...{ gross: net + earned, interchange: earned, fees: sum("fee_income"), disputes: 0 },
    ...{ transactions: settling.length, matched: settling.length },
  };
}

it("each day's settlement has all of its transactions and no others, in pages of any size", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 1, max: 5 }),
      async (steps, pageSize) => {
        vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-10-23T22:00:00.000Z") });
        const given = await givenDay({ settings: { timeZone } });
        const { programId } = given;
        const networks = [given, toTokenNetwork(given, await givenStoredCard(programId, 1, 1_000_000))];
        for (const { event: told, card, waitMinutes } of steps) {
          vi.setSystemTime(Date.now() + waitMinutes * 60_000);
          await networks[card]?.send(told);
        }
        for (const date of dates) {
          const { from, until } = periodOfDate("day", date, timeZone);
          const day = {
            programId,
            date,
            currency: 0,
            start: new Date(from),
            end: new Date(until),
            pageSize,
          } as const;
          const tally = newTally();
          await reconcile(day, tally, async () => undefined, Number.POSITIVE_INFINITY);
          const expected = await scanned(programId, date);
          expect(tally).toMatchObject({ ...expected, missing: [], doubled: [], differing: [] });
          const { matched, ...view } = expected;
          expect(await given.view(date)).toMatchObject({ ...view, net: view.gross - view.interchange });
        }
      },
    ),
    { numRuns: 12 },
  );
}, 180_000);
