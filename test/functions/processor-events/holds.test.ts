import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { storedEntries } from "../../harness/books.ts";
import { interrupt } from "../../harness/faults.ts";
import { givenNetwork, type Network } from "../../harness/given-network.ts";
import { givenStoredCard } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { eventsIn } from "../../harness/stored.ts";
import { A, expectSameBalances, lifeOfAHold } from "./given-hold-events.ts";
import { illegal, unknown } from "./given-processor.ts";

async function givenHold(amount = 1_000): Promise<Network> {
  const network = await givenNetwork();
  await network.apply({ kind: "authorization", authorizationId: A, amount });
  return network;
}

describe("a reversal, an advice or an increment", () => {
  const kind = "authorization_reversal";

  it("of another card's authorization is rejected, and of an unknown card not found", async () => {
    const { send, balances, programId } = await givenHold();
    const cardId = await givenStoredCard(programId);
    expect(await send({ kind, authorizationId: A, cardId })).toEqual(illegal);
    const increment = { kind: "authorization_incremental", amount: 5 } as const;
    expect(await send({ ...increment, authorizationId: A, cardId })).toEqual(illegal);
    expect(await send({ kind, authorizationId: "B", cardId: newId("card") })).toEqual(unknown);
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
  });

  it("with a failed check is declined for that, and adds nothing", async () => {
    const { apply, balances } = await givenHold();
    const increment = { kind: "authorization_incremental", authorizationId: A, amount: 5 } as const;
    const declined = { approved: false, declineReason: "CVV_WRONG", amount: 0 };
    expect(await apply({ ...increment, failedCheck: "CVV_WRONG" })).toMatchObject(declined);
    expect(await balances()).toEqual([9_000, 1_000, 10_000]);
  });

  it("is declined where the reversal of that increment came first, or comes at the same moment", async () => {
    const reversal = { kind, authorizationId: "increment" } as const;
    const increment = { kind: "authorization_incremental", authorizationId: A, amount: 5 } as const;
    const declined = { approved: false, declineReason: "AUTHORIZATION_FINISHED" };
    const [early, racing] = [await givenHold(), await givenHold()];
    await early.apply(reversal);
    expect(await early.apply({ ...increment, incrementId: "increment" })).toMatchObject(declined);
    using _ = interrupt(
      (command) => command === "TransactWriteItems",
      () => racing.apply(reversal),
    );
    expect(await racing.apply({ ...increment, incrementId: "increment" })).toMatchObject(declined);
    expect(await racing.balances()).toEqual([9_000, 1_000, 10_000]);
  });

  it.each([
    ["reversal", { kind, amount: 2_000 }, "hold.released", { releasedMinor: 0 }],
    ["advice", { kind: "authorization_advice", amount: 1_000 }, "hold.placed", { placedMinor: 0 }],
  ] as const)(
    "%s that changes nothing is recorded and told, and has no journal entry",
    async (_, event, published, detail) => {
      const { apply, record, everything } = await givenHold();
      const before = storedEntries(await everything()).length;
      const { transId } = await apply({ ...event, authorizationId: A, total: true });
      expect(await record(transId)).toMatchObject({ amountMinor: 0, description: "Authorization" });
      const items = await everything();
      expect(storedEntries(items)).toHaveLength(before);
      const told = eventsIn(items).filter(({ kind: of }) => of === published);
      expect(told.at(-1)?.detail).toMatchObject(detail);
    },
  );
});

describe("a clearing", () => {
  const kind = "clearing";
  const clear = (amount: number, final = true) => ({ kind, authorizationId: A, amount, final }) as const;

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
});
