import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { illegal, unknown } from "./given-processor.ts";

const kind = "authorization";

describe("an increment", () => {
  const increment = "authorization_incremental";

  it("of an authorization that nothing is known of waits for it", async () => {
    const { send, apply, balances } = await givenNetwork();
    const event = { kind: increment, authorizationId: "A", amount: 5, eventId: "early" } as const;
    expect(await send(event)).toEqual(unknown);
    await apply({ kind, authorizationId: "A", amount: 10 });
    expect(await send(event)).toMatchObject({ approved: true });
    expect(await balances()).toEqual([9_985, 15, 10_000]);
  });

  it("of another card's authorization is rejected", async () => {
    const ours = await givenNetwork();
    const other = await givenStoredCard(ours.programId, 1, 50);
    await ours.apply({ kind, authorizationId: "A", amount: 10 });
    const event = { kind: increment, authorizationId: "A", amount: 5, cardId: other } as const;
    expect(await ours.send(event)).toEqual(illegal);
    expect(await ours.balances(other)).toEqual([50, 0, 50]);
  });
});
