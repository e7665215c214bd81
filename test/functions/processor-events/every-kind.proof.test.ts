import { describe, expect, it } from "vitest";
import { cardNetworkEvents } from "../../../shared/contract/card-network.ts";
import { firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenNetwork, type Network, type Told } from "../../harness/given-network.ts";
import { lifeOfACard } from "../../harness/life-of-a-card.ts";

describe("every kind of card event", () => {
  it("is in the life of a card below", async () => {
    const network = await givenNetwork();
    const told = await lifeOfACard(network);
    const kinds = new Set(told.map(({ event }) => event.kind));
    const declared = cardNetworkEvents.map((schema) => schema.shape.kind.value);
    expect([...kinds].toSorted()).toEqual(declared.toSorted());
  });

  it("is answered its first result and moves nothing when it is repeated at once", async () => {
    const network = await givenNetwork();
    const repeated = { ...network, apply: (event: Told) => twice(network, event) };
    expect((await lifeOfACard(repeated)).length).toBeGreaterThan(20);
  });

  it("is answered its first result and moves nothing when it is repeated after everything else", async () => {
    const network = await givenNetwork();
    const told = await lifeOfACard(network);
    const before = await books(network);
    for (const { event, result } of told.toReversed()) expect(await network.send(event)).toEqual(result);
    expect(await books(network)).toEqual(before);
    await network.balances();
  });

  it("is applied once when it arrives several times together, with answers lost", async () => {
    const network = await givenNetwork();
    const at = async (event: Told) => {
      using _ = injectFaults(firstCalls(1, "timeout-after-commit"));
      const results = await Promise.all([1, 2, 3].map(() => network.send(event)));
      expect(results[1]).toEqual(results[0]);
      expect(results[2]).toEqual(results[0]);
      return results[0] as Awaited<ReturnType<Network["apply"]>>;
    };
    await lifeOfACard({ ...network, apply: at });
    const alone = await givenNetwork();
    await lifeOfACard(alone);
    expect(await network.balances()).toEqual(await alone.balances());
    expect((await network.records()).length).toBe((await alone.records()).length);
  });
});

async function twice(network: Network, event: Told) {
  const first = await network.apply(event);
  const before = await books(network);
  expect(await network.send(event)).toEqual(first);
  expect(await books(network)).toEqual(before);
  return first;
}

/** All stored items except those to publish: a repetition resends notifications. */
async function books({ everything }: Network) {
  return (await everything()).filter(({ sk }) => sk !== "OUTBOX");
}
