import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { illegal, unknown } from "./given-processor.ts";

const kind = "authorization";

describe("an increment", () => {
  const increment = "authorization_incremental";

  it("adds to the hold", async () => {
    const { apply, balances, record } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 1_000 });
    const result = await apply({ kind: increment, authorizationId: "A", amount: 500 });
    expect(result).toMatchObject({ approved: true, authorizationId: "A", amount: 500 });
    expect(await record(result.transId)).toMatchObject({ transType: 11, transStatus: 1, amountMinor: 500 });
    expect(await balances()).toEqual([8_500, 1_500, 10_000]);
  });

  it("that the card cannot pay is declined and recorded; what was held stays held", async () => {
    const { apply, balances, record } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 9_000 });
    const result = await apply({ kind: increment, authorizationId: "A", amount: 1_001 });
    expect(result).toMatchObject({ approved: false, declineReason: "INSUFFICIENT_FUNDS", amount: 0 });
    expect(await record(result.transId)).toMatchObject({ transType: 77, transStatus: 4, amountMinor: 1_001 });
    expect(await balances()).toEqual([1_000, 9_000, 10_000]);
  });

  it("of a card on hold is declined", async () => {
    const { apply, setStatus } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 1 });
    await setStatus(2);
    expect(await apply({ kind: increment, authorizationId: "A", amount: 1 })).toMatchObject({
      approved: false,
      declineReason: "CARD_ON_HOLD",
    });
  });

  it.each([
    { kind: "clearing", authorizationId: "A", amount: 10 },
    { kind: "authorization_reversal", authorizationId: "A" },
    { kind: "authorization_expiry", authorizationId: "A" },
  ] as const)("of an authorization finished by $kind is declined and holds nothing", async (finish) => {
    const { apply, balances } = await givenNetwork();
    await apply({ kind, authorizationId: "A", amount: 10 });
    await apply(finish);
    const before = await balances();
    expect(await apply({ kind: increment, authorizationId: "A", amount: 5 })).toMatchObject({
      approved: false,
      declineReason: "AUTHORIZATION_FINISHED",
    });
    expect(await balances()).toEqual(before);
  });

  it("of a declined authorization is declined", async () => {
    const { apply, balances } = await givenNetwork({ availableMinor: 10 });
    await apply({ kind, authorizationId: "A", amount: 11 });
    expect(await apply({ kind: increment, authorizationId: "A", amount: 5 })).toMatchObject({
      declineReason: "AUTHORIZATION_FINISHED",
    });
    expect(await balances()).toEqual([10, 0, 10]);
  });

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

describe("an advice", () => {
  it("is held although the card cannot pay it, and on a closed card", async () => {
    const { apply, balances, record, setStatus } = await givenNetwork({ availableMinor: 100 });
    const result = await apply({ kind: "authorization_advice", authorizationId: "A", amount: 150 });
    expect(await record(result.transId)).toMatchObject({ transType: 2, transStatus: 1 });
    expect(await balances()).toEqual([-50, 150, 100]);
    await setStatus(3);
    await apply({ kind: "authorization_advice", authorizationId: "A", amount: 1 });
    expect(await balances()).toEqual([-51, 151, 100]);
  });

  it("of a stand-in is written as one", async () => {
    const { apply, record } = await givenNetwork();
    const { transId } = await apply({
      kind: "authorization_advice",
      authorizationId: "A",
      amount: 1,
      standIn: true,
    });
    expect(await record(transId)).toMatchObject({ transType: 14 });
  });
});
