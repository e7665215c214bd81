import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { findFaults } from "../../harness/audit-books.ts";
import { givenDispute, givenPurchase, type Purchase } from "./given-dispute.ts";

describe("a refund that names the transaction", () => {
  it("leaves less to dispute until it is reversed, and is posted whatever is disputed", async () => {
    const { create, onCard, program, cardId, transId, balances } = await givenPurchase();
    const refund = (await onCard("refunds", { amount: 1_000, originalTransId: transId })) as {
      transId: string;
    };
    expect((await create({ amount: 2_001 })).status).toBe(409);
    expect((await create({ amount: 2_000 })).status).toBe(200);
    const path = { cardId, transId: refund.transId };
    await program.call("POST /cards/{cardId}/refunds/{transId}/reverse", { path });
    expect((await create()).body.data).toMatchObject({ amount: 1_000 });
    await onCard("refunds", { amount: 3_000, originalTransId: transId });
    expect(await balances()).toEqual([10_000, 10_000]);
  });

  it("must name a purchase or withdrawal of the card", async () => {
    const { program, cardId, transId } = await givenPurchase();
    const refund = (originalTransId: string) =>
      program.call("POST /cards/{cardId}/refunds", {
        path: { cardId },
        body: { amount: 10, originalTransId },
      });
    expect((await refund(newId("transaction"))).status).toBe(404);
    const { body } = await refund(transId);
    expect((await refund(body.data.transId as string)).status).toBe(409);
  });
});

describe("a refund during a dispute", () => {
  const refunded = (given: Purchase, amount: number) =>
    given.onCard("refunds", { amount, originalTransId: given.transId }) as Promise<{ transId: string }>;
  it("must leave what a draft disputes, or the draft is changed", async () => {
    const given = await givenDispute({ provisionalCreditAtOnce: true });
    await refunded(given, 1_000);
    expect((await given.step("submit")).body.code).toBe("AMOUNT_EXCEEDED");
    expect((await given.change({ note: "More." })).status).toBe(200);
    expect((await given.change({ amount: 2_001 })).body.code).toBe("AMOUNT_EXCEEDED");
    expect((await given.change({ amount: 2_000 })).status).toBe(200);
    expect((await given.step("submit")).status).toBe(200);
    expect(await given.balances()).toEqual([10_000, 10_000]);
    expect(await findFaults()).toEqual([]);
  });
});
