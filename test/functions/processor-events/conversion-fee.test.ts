import { describe, expect, it } from "vitest";
import { storedEntries } from "../../harness/books.ts";
import { givenNetwork } from "../../harness/given-network.ts";

/** A card in USD whose Program charges 1.5 % and 10 cents for settlements in another currency. */
async function given() {
  const network = await givenNetwork();
  await network.setProgram({ feeSchedule: [{ feeType: 4, amount: 10, basisPoints: 150 }] });
  const fees = async () => (await network.records()).filter(({ sk }) => String(sk).startsWith("FEE#"));
  return { ...network, fees };
}

const abroad = { srcAmount: 900, srcCurrency: "978" };

describe("a settlement that the merchant billed in another currency", () => {
  it("costs the Program's fee, in the same entry, for the transaction", async () => {
    const { apply, balances, fees, record, everything } = await given();
    const { transId, feeId } = await apply({ kind: "clearing", amount: 1_000, ...abroad });
    expect(await balances()).toEqual([8_975, 0, 8_975]);
    expect(await fees()).toMatchObject([
      { feeId, feeType: 4, amountMinor: 25, relatedTransId: transId, description: "Foreign Exchange Fee" },
    ]);
    expect(await record(transId)).toMatchObject({
      amountMinor: 1_000,
      feeId,
      srcAmountMinor: 900,
      srcCurrency: "978",
    });
    const entries = storedEntries(await everything()).filter(({ entry }) => entry.kind === "clearing");
    expect(entries).toHaveLength(1);
  });

  it("releases its hold all the same, and is charged once however often the event comes", async () => {
    const { apply, send, balances, fees } = await given();
    await apply({ kind: "authorization", authorizationId: "a", amount: 2_000 });
    const clearing = {
      kind: "clearing",
      eventId: "c",
      authorizationId: "a",
      amount: 1_000,
      ...abroad,
    } as const;
    await Promise.all([send(clearing), send(clearing)]);
    await send(clearing);
    expect(await balances()).toEqual([8_975, 0, 8_975]);
    expect(await fees()).toHaveLength(1);
  });

  it("may leave the card with a debt", async () => {
    const { apply, balances } = await given();
    await apply({ kind: "clearing", amount: 10_000, ...abroad });
    expect(await balances()).toEqual([-160, 0, -160]);
  });

  it("costs nothing in the card's own currency (Dynamic Currency Conversion), or without a currency", async () => {
    const { apply, fees } = await given();
    await apply({ kind: "clearing", amount: 1_000, srcAmount: 1_000, srcCurrency: "840" });
    await apply({ kind: "clearing", amount: 1_000 });
    expect(await fees()).toEqual([]);
  });

  it("costs nothing where the Program charges nothing for it", async () => {
    const { apply, balances } = await givenNetwork();
    await apply({ kind: "clearing", amount: 1_000, ...abroad });
    expect(await balances()).toEqual([9_000, 0, 9_000]);
  });
});
