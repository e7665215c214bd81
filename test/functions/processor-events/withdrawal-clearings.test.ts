import { describe, expect, it } from "vitest";
import { givenNetwork } from "../../harness/given-network.ts";
import { cash, clearing, downTo, left, reversal } from "./given-cash.ts";
import { illegal } from "./given-processor.ts";

describe("the clearing of a posted withdrawal", () => {
  it("in the same amount moves nothing, and takes its reference code", async () => {
    const { apply, send, balances, record } = await givenNetwork();
    const { transId } = await apply(cash);
    const cleared = { ...clearing(1_000), eventId: "one", referenceCode: "R1" };
    const answer = await apply(cleared);
    expect(await record(answer.transId)).toMatchObject({
      ...{ transType: 38, amountMinor: 0, relatedId: transId, referenceCode: "R1" },
    });
    expect(await record(answer.transId)).not.toHaveProperty("entityId");
    expect(await apply(cleared)).toEqual(answer);
    for (const event of [clearing(1_000), clearing(900), reversal, downTo(900)])
      expect(await send(event)).toEqual(illegal);
    const other = { kind: "refund", amount: 1, referenceCode: "R1" } as const;
    expect(await send(other)).toEqual({ outcome: "refused", code: "REFERENCE_EXISTS" });
    expect(await apply(downTo(1_000))).toMatchObject({ amount: 0 });
    expect(await balances()).toEqual(left(1_000));
  });

  it("may have the withdrawal's own reference code", async () => {
    const { apply, send, balances } = await givenNetwork();
    await apply({ ...cash, referenceCode: "R1" });
    await apply({ kind: "refund", amount: 1, referenceCode: "R2" });
    const taken = { ...clearing(1_200), referenceCode: "R2" };
    expect(await send(taken)).toEqual({ outcome: "refused", code: "REFERENCE_EXISTS" });
    await apply({ ...clearing(1_200), referenceCode: "R1" });
    expect(await balances()).toEqual(left(1_199));
  });
});
