import { describe, expect, it } from "vitest";
import { holds } from "../../../shared/authorizations/holds/hold.ts";
import { findFaults } from "../../harness/audit-books.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { usageOf } from "./usage-of.ts";

const authorizationId = "a";
const increment = { kind: "authorization_incremental", authorizationId, amount: 1 } as const;
const advice = { kind: "authorization_advice", authorizationId, amount: 1 } as const;
/** 5,000 takes minutes, and ends the same. */
const times = 150;

/** A hold under ten controls. */
async function givenHold(availableMinor = 100_000) {
  const network = await givenNetwork({ availableMinor });
  const rules = { velocity: { amount: 100_000_000, window: "PT24H" } };
  const given = Array.from({ length: 10 }, () => ({ owner: "card", rules }) as const);
  const controlIds = await givenActiveControls(network, given);
  await network.apply({ kind: "authorization", authorizationId, amount: 100 });
  const stored = () => holds.at(network.programId, authorizationId).require();
  const set = (values: object) => overwrite(holds.key(network.programId, authorizationId), values);
  return { ...network, controlIds, stored, set };
}

describe("a hold", () => {
  it("stays small through many increments and partial clearings, and ends in order", async () => {
    const { apply, send, balances, controlIds, programId, stored } = await givenHold();
    let approved = 0;
    for (let nth = 0; nth < times; nth += 1)
      if ((await apply({ ...increment, incrementId: undefined })).approved) approved += 1;
    expect(approved).toBe(Math.min(times, 1_000));
    for (let nth = 0; nth < times; nth += 1)
      await apply({ kind: "clearing", authorizationId, amount: 1, final: false });
    const hold = await stored();
    expect(JSON.stringify(hold).length).toBeLessThan(20_000);
    expect(hold.counted?.length).toBeLessThanOrEqual(40);
    await apply({ kind: "clearing", authorizationId, amount: 50, final: true });
    const spent = times + 50;
    expect(await balances()).toEqual([100_000 - spent, 0, 100_000 - spent]);
    for (const controlId of controlIds) {
      const used = { amount: spent, count: 1 };
      expect(await usageOf(programId, controlId)).toEqual({ used, sum: used });
    }
    await apply({ kind: "authorization_reversal", authorizationId, ofPosted: true });
    expect(await balances()).toEqual([100_000, 0, 100_000]);
    expect(await send({ kind: "authorization_reversal", authorizationId, ofPosted: true })).toMatchObject({
      outcome: "refused",
    });
    expect(await findFaults()).toEqual([]);
  }, 3_600_000);

  it("that has 1,000 increments declines another, and takes what the network has decided", async () => {
    const { apply, balances, set, stored } = await givenHold();
    await set({ increments: 999 });
    expect(await apply(increment)).toMatchObject({ approved: true });
    expect(await apply(increment)).toMatchObject({ approved: false, declineReason: "AUTHORIZATION_FULL" });
    expect(await apply(advice)).toMatchObject({ approved: true });
    await apply({ kind: "authorization_reversal", authorizationId, amount: 2 });
    await apply({ kind: "clearing", authorizationId, amount: 100, final: true });
    expect((await stored()).increments).toBe(1_000);
    expect(await balances()).toEqual([99_900, 0, 99_900]);
    expect(await findFaults()).toEqual([]);
  });

  it("that counts in too many periods takes no increment, and an advice without another part", async () => {
    const { apply, balances, controlIds, programId, set, stored } = await givenHold();
    const { counted = [] } = await stored();
    const [part] = counted;
    if (!part) throw new Error("Nothing is counted.");
    const old = (count: number) =>
      Array.from({ length: count }, (_, nth) => ({ ...part, since: 1, from: nth, amount: 0, count: 0 }));
    await set({ counted: [...counted, ...old(1_300 - counted.length)] });
    expect(await apply(increment)).toMatchObject({ approved: false, declineReason: "AUTHORIZATION_FULL" });
    expect(await apply(advice)).toMatchObject({ approved: true });
    expect((await stored()).counted).toHaveLength(1_300);
    for (const controlId of controlIds)
      expect((await usageOf(programId, controlId)).used).toEqual({ amount: 101, count: 1 });
    await apply({ kind: "clearing", authorizationId, amount: 101, final: true });
    expect(await balances()).toEqual([99_899, 0, 99_899]);
    expect(await findFaults()).toEqual([]);
  });
});
