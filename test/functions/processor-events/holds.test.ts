import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { A, expectSameBalances, lifeOfAHold } from "./given-hold-events.ts";
import { illegal, unknown } from "./given-processor.ts";

async function givenHold(amount = 1_000): Promise<Network> {
  const network = await givenNetwork();
  await network.apply({ kind: "authorization", authorizationId: A, amount });
  return network;
}

describe("a reversal", () => {
  const kind = "authorization_reversal";

  it("of all releases all, leaves the ledger, and finishes the authorization", async () => {
    const { apply, send, balances, record } = await givenHold();
    const result = await apply({ kind, authorizationId: A });
    expect(result).toMatchObject({ authorizationId: A, amount: 1_000 });
    expect(await record(result.transId)).toMatchObject({ transType: 12, releasedMinor: 1_000 });
    expect(await record(result.transId)).not.toHaveProperty("entityId");
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await send({ kind, authorizationId: A })).toEqual(illegal);
    expect(await send({ kind, authorizationId: A, amount: 1 })).toEqual(illegal);
    expect(await send({ kind: "authorization_expiry", authorizationId: A })).toEqual(illegal);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("of a part releases the part", async () => {
    const { apply, balances } = await givenHold();
    await apply({ kind, authorizationId: A, amount: 400 });
    expect(await balances()).toEqual([9_400, 600, 10_000]);
    await apply({ kind, authorizationId: A });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("of more than the hold releases just the hold", async () => {
    const { apply, balances } = await givenHold();
    expect(await apply({ kind, authorizationId: A, amount: 1_500 })).toMatchObject({ amount: 1_000 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });

  it("of a declined authorization is rejected", async () => {
    const { apply, send, balances } = await givenNetwork({ availableMinor: 10 });
    await apply({ kind: "authorization", authorizationId: A, amount: 11 });
    expect(await send({ kind, authorizationId: A })).toEqual(illegal);
    expect(await balances()).toEqual([10, 0, 10]);
  });

  it("of another card's authorization is rejected, and of an unknown card not found", async () => {
    const { send, balances, programId } = await givenHold();
    const cardId = await givenStoredCard(programId);
    expect(await send({ kind, authorizationId: A, cardId })).toEqual(illegal);
    expect(await send({ kind, authorizationId: "B", cardId: newId("card") })).toEqual(unknown);
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
  });
});

describe("an expiry from the network", () => {
  it("releases all that is held, once, as type 83", async () => {
    const { apply, send, balances, record } = await givenHold();
    const { transId } = await apply({ kind: "authorization_expiry", authorizationId: A });
    expect(await record(transId)).toMatchObject({ transType: 83, releasedMinor: 1_000 });
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    expect(await send({ kind: "authorization_expiry", authorizationId: A })).toEqual(illegal);
    expect(await send({ kind: "authorization_reversal", authorizationId: A })).toEqual(illegal);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
  });
});

describe("a clearing", () => {
  const kind = "clearing";
  const clear = (amount: number, final = true) => ({ kind, authorizationId: A, amount, final }) as const;

  it.each([
    ["what is held", 1_000, [9_000, 0, 9_000]],
    ["less than is held, releasing the rest", 700, [9_300, 0, 9_300]],
    ["more than is held", 1_300, [8_700, 0, 8_700]],
    ["more than there is", 15_000, [-5_000, 0, -5_000]],
  ] as const)("of %s", async (_, amount, after) => {
    const { apply, balances, record } = await givenHold();
    const { transId } = await apply(clear(amount));
    expect(await balances()).toEqual(after);
    expect(await record(transId)).toMatchObject({
      transType: 3,
      transStatus: 3,
      type: "DR",
      amountMinor: amount,
      releasedMinor: 1_000,
      postDate: expect.any(String),
      entityId: expect.stringContaining("txn_"),
    });
  });

  it("in several parts releases each part, and the rest with the last", async () => {
    const { apply, balances } = await givenHold();
    await apply(clear(300, false));
    expect(await balances()).toEqual([9_000, 700, 9_700]);
    await apply(clear(200, false));
    expect(await balances()).toEqual([9_000, 500, 9_500]);
    await apply(clear(100));
    expect(await balances()).toEqual([9_400, 0, 9_400]);
  });

  it("above the hold, not final, releases the hold and takes the rest from the available balance", async () => {
    const { apply, balances } = await givenHold();
    await apply(clear(1_200, false));
    expect(await balances()).toEqual([8_800, 0, 8_800]);
  });

  it.each([
    ["cleared", clear(1_000)],
    ["reversed", { kind: "authorization_reversal", authorizationId: A }],
    ["expired", { kind: "authorization_expiry", authorizationId: A }],
  ] as const)("after it was %s moves money and releases nothing", async (_, finish) => {
    const { apply, balances, record } = await givenHold();
    await apply({ kind: "authorization", authorizationId: "other", amount: 500 });
    await apply(finish);
    const [available = 0, held, ledger = 0] = await balances();
    const { transId } = await apply(clear(250));
    expect(await balances()).toEqual([available - 250, held, ledger - 250]);
    expect(await record(transId)).toMatchObject({ transType: 3, releasedMinor: 0 });
  });

  it("on a closed card takes the money all the same: the network has paid", async () => {
    const { apply, balances, setStatus } = await givenNetwork({ availableMinor: 0 });
    await setStatus(3);
    await apply({ kind, amount: 80 });
    expect(await balances()).toEqual([-80, 0, -80]);
  });

  it("without an authorization is a force post: no hold is touched", async () => {
    const { apply, balances, record } = await givenHold();
    const { transId } = await apply({ kind, amount: 1_000 });
    expect(await balances()).toEqual([8_000, 1_000, 9_000]);
    expect(await record(transId)).toMatchObject({ transType: 3, transStatus: 3 });
    expect(await record(transId)).not.toHaveProperty("authorizationId");
  });

  it("takes a missing merchant from the authorization, but never the billed amount", async () => {
    const { apply, record } = await givenNetwork();
    const shop = { merchantName: "Shop", mcc: "5411", merchantCity: "Paris", merchantCountry: "FR" };
    const billed = { srcAmount: 900, srcCurrency: "978" };
    await apply({ kind: "authorization", authorizationId: A, amount: 1_000, ...shop, ...billed });
    const { transId } = await apply({ ...clear(1_010), mcc: "5912" });
    expect(await record(transId)).toMatchObject({
      merchantName: "Shop",
      merchantCity: "Paris",
      mcc: "5912",
      description: "Shop",
      srcAmountMinor: 1_010,
      srcCurrency: "840",
    });
  });

  it("costs one transaction after one round of reads", async () => {
    const { send } = await givenHold();
    const { cost } = await measure(() => send(clear(10)));
    expect(cost.calls.filter((call) => call === "TransactWriteItems")).toHaveLength(1);
    expect(cost.roundTrips).toBe(2);
  });
});

describe("events of one authorization in any order", () => {
  it("end in the same balances", () => expectSameBalances(5));

  it("end in the same balances when all come at once", async () => {
    const events = lifeOfAHold.slice(0, 6).filter(({ kind }) => kind !== "authorization_incremental");
    for (let round = 0; round < 5; round += 1) {
      const network = await givenNetwork();
      await Promise.all(events.map((event) => network.send(event)));
      expect(await network.cardBalances()).toEqual([9_350, 0, 9_350]);
    }
  });

  it("a clearing before its authorization: nothing is held for what was settled", async () => {
    const { apply, balances } = await givenNetwork();
    await apply({ kind: "clearing", authorizationId: A, amount: 990 });
    expect(await balances()).toEqual([9_010, 0, 9_010]);
    expect(await apply({ kind: "authorization", authorizationId: A, amount: 1_000 })).toMatchObject({
      approved: true,
    });
    expect(await balances()).toEqual([9_010, 0, 9_010]);
  });

  it("a part of it cleared before: the rest is held", async () => {
    const { apply, balances } = await givenNetwork({ availableMinor: 1_000 });
    await apply({ kind: "clearing", authorizationId: A, amount: 900, final: false });
    await apply({ kind: "authorization", authorizationId: A, amount: 1_000 });
    expect(await balances()).toEqual([0, 100, 100]);
  });

  it("an advice before: what the card does not have is declined, and the advice stays held", async () => {
    const { apply, balances } = await givenNetwork({ availableMinor: 1_000 });
    await apply({ kind: "authorization_advice", authorizationId: A, amount: 900 });
    const answer = await apply({ kind: "authorization", authorizationId: A, amount: 200 });
    expect(answer).toMatchObject({ approved: false, declineReason: "INSUFFICIENT_FUNDS", amount: 0 });
    expect(await balances()).toEqual([100, 900, 1_000]);
  });
});
