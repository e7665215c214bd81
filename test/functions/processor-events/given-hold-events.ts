import fc from "fast-check";
import { expect } from "vitest";
import { givenNetwork, type Network, type Told } from "../../harness/given-network.ts";

export const A = "A";

export const lifeOfAHold: readonly Told[] = [
  { kind: "authorization", authorizationId: A, amount: 1_000 },
  { kind: "authorization_incremental", authorizationId: A, amount: 300 },
  { kind: "authorization_advice", authorizationId: A, amount: 50 },
  { kind: "authorization_reversal", authorizationId: A, amount: 200 },
  { kind: "clearing", authorizationId: A, amount: 400, final: false },
  { kind: "clearing", authorizationId: A, amount: 250, final: true },
  { kind: "authorization_reversal", authorizationId: A },
  { kind: "authorization_expiry", authorizationId: A },
];

/** Sends events in order, and those without a record again, as the queue does. */
async function deliver({ send }: Network, events: readonly Told[]): Promise<void> {
  let waiting = events.map((event, n) => ({ ...event, eventId: `e${n}` }) as Told);
  for (let rounds = 0; waiting.length > 0 && rounds < events.length; rounds += 1) {
    const still: Told[] = [];
    for (const event of waiting) {
      const result = await send(event);
      if (result.outcome === "refused" && result.code === "NOT_FOUND") still.push(event);
    }
    waiting = still;
  }
  expect(waiting).toEqual([]);
}

/** In whatever order the events of one authorization arrive. */
export async function expectSameBalances(numRuns: number): Promise<void> {
  await fc.assert(
    fc.asyncProperty(
      fc.subarray([...lifeOfAHold.slice(1)], { minLength: 1 }).chain((rest) => {
        const events = [lifeOfAHold[0] as Told, ...rest];
        return fc.tuple(
          fc.constant(events),
          fc.shuffledSubarray(events, { minLength: events.length, maxLength: events.length }),
        );
      }),
      async ([inOrder, shuffled]) => {
        const [one, other] = [await givenNetwork(), await givenNetwork()];
        await deliver(one, inOrder);
        await deliver(other, shuffled);
        expect(await other.cardBalances()).toEqual(await one.cardBalances());
      },
    ),
    { numRuns },
  );
}
