import { describe, expect, it } from "vitest";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { advice, cash, clearing, downTo, left, reversal } from "./given-cash.ts";
import { A } from "./given-hold-events.ts";
import { illegal } from "./given-processor.ts";

describe("the reversal of an ATM withdrawal", () => {
  it("reverses the fee once, also by a second event after the first was interrupted", async () => {
    const { apply, balances, records } = await givenNetwork();
    await apply(cash);
    await apply({ ...reversal, withFee: false });
    expect(await balances()).toEqual(left(0));
    for (const eventId of ["b", "b", "c"]) await apply({ ...reversal, eventId });
    await Promise.all(["d", "e"].map((eventId) => apply({ ...reversal, eventId })));
    expect(await balances()).toEqual(left(0, 0));
    expect((await records()).filter(({ transType }) => transType === 17)).toHaveLength(1);
  });
});

describe("an advice of a posted withdrawal", () => {
  it("that occurred earlier changes nothing, and a later reversal limits it", async () => {
    const { apply, balances } = await givenNetwork();
    await apply(cash);
    await apply(advice(1_500, 5));
    await apply(advice(400, 4));
    await apply(downTo(300, 3));
    expect(await balances()).toEqual(left(1_500));
    await apply(downTo(1_600, 7));
    await apply(advice(2_000, 6));
    expect(await balances()).toEqual(left(1_600));
  });

  it("claims its reference code", async () => {
    const { apply, send } = await givenNetwork();
    const code = "REFERENCE_EXISTS";
    await apply({ ...cash, referenceCode: "R1" });
    await apply({ ...advice(1_200), referenceCode: "R2" });
    for (const referenceCode of ["R1", "R2"])
      expect(await send({ kind: "refund", amount: 100, referenceCode })).toMatchObject({ code });
  });

  it("of a time before a reversal to a total is limited by it, also if that changed nothing", async () => {
    const { apply, balances } = await givenNetwork();
    await apply({ ...cash, amount: 500 });
    await apply({ ...downTo(600, 7), mayBeDone: false });
    await apply(advice(2_000, 6));
    expect(await balances()).toEqual(left(600));
  });

  it.each(["authorization", "authorization_advice"] as const)("is no %s", async (kind) => {
    const { apply, send, balances } = await givenNetwork();
    await apply(advice(1_000));
    expect(await send({ kind, authorizationId: A, amount: 500, total: true } as never)).toEqual(illegal);
    expect(await balances()).toEqual(left(1_000));
  });

  it("is not another use of a control for a single one", async () => {
    const network = await givenNetwork();
    await givenActiveControls(network, [{ owner: "card", rules: { singleUse: true } }]);
    await network.apply(cash);
    await network.apply(advice(1_500));
    await network.apply(clearing(1_600));
    expect(await network.balances()).toEqual(left(1_600));
  });
});
