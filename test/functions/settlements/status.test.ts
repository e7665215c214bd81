import { describe, expect, it } from "vitest";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../../shared/network-events/apply/execute-event.ts";
import { newId } from "../../../shared/platform/id.ts";
import { clearingFileOf } from "../../shared/adapters/clearing-records.ts";
import { givenFiles } from "../files/given-files.ts";
import { givenNumber } from "../files/given-number.ts";
import { givenDay, record } from "./given-day.ts";

const byFiles = { settings: { settlementFiles: true } };

/** The listed status of each transaction, by the filter too. */
async function statusesOf({ call }: Pick<Awaited<ReturnType<typeof givenDay>>, "call">) {
  const list = async (query: Record<string, string>) =>
    (await call("GET /cards/transactions", { query: { limit: "200", ...query } })).body.items as {
      transId: string;
      transStatus: number;
      postDate?: string;
    }[];
  const [all, cleared, complete] = [
    await list({}),
    await list({ transStatus: "2" }),
    await list({ transStatus: "3" }),
  ];
  expect(cleared.every(({ transStatus, postDate }) => transStatus === 2 && postDate !== undefined)).toBe(
    true,
  );
  expect(complete.every(({ transStatus }) => transStatus === 3)).toBe(true);
  expect(cleared.length + complete.length).toBe(all.length);
  return (transId: string | undefined) => all.find((one) => one.transId === transId)?.transStatus;
}

describe("the status of a posting of the network", () => {
  it("is 3 at once where the Program has no files", async () => {
    const day = await givenDay();
    const { transId } = await day.apply({ kind: "clearing", amount: 500 });
    expect((await statusesOf(day))(transId)).toBe(3);
  });

  it("is 2, and 3 once a file of the day names it as it was posted", async () => {
    const day = await givenDay(byFiles);
    const bought = await day.apply({ kind: "clearing", amount: 500, referenceCode: "R-1" });
    const other = await day.apply({ kind: "clearing", amount: 600, referenceCode: "R-2" });
    const unnamed = await day.apply({ kind: "clearing", amount: 700, referenceCode: "R-3" });
    const refunded = await day.apply({ kind: "refund", amount: 100 });
    const before = await statusesOf(day);
    for (const { transId } of [bought, other, unnamed, refunded]) expect(before(transId)).toBe(2);
    const fed = [record("R-1", 500), record("R-2", 601), record(refunded.transId, 100, { type: "CR" })];
    expect((await day.feed("f-1", fed)).status).toBe(200);
    const after = await statusesOf(day);
    const found = [bought, other, unnamed, refunded].map(({ transId }) => after(transId));
    expect(found).toEqual([3, 2, 2, 3]);
    expect((await day.view()).reconciliation).toMatchObject({
      matched: 2,
      missing: [{ side: "network", referenceCode: "R-3" }],
      differing: [{ referenceCode: "R-2" }],
    });
  });

  it("becomes 3 by the same file, sent again, if it was posted after it", async () => {
    const day = await givenDay(byFiles);
    await day.feed("f-1", [record("L-1", 500)]);
    const { transId } = await day.apply({ kind: "clearing", amount: 500, referenceCode: "L-1" });
    expect((await statusesOf(day))(transId)).toBe(2);
    await Promise.all([day.feed("f-1", [record("L-1", 500)]), day.feed("f-1", [record("L-1", 500)])]);
    expect((await statusesOf(day))(transId)).toBe(3);
  });

  it("is never another for fees, and tells webhooks what it was as it was posted", async () => {
    const day = await givenDay(byFiles);
    await day.apply({ kind: "atm_withdrawal", authorizationId: newId("hold"), amount: 900, feeAmount: 50 });
    const fees = (await day.call("GET /cards/fees", {})).body.items;
    expect(fees).toMatchObject([{ transStatus: 3 }]);
    const { items } = (await day.call("GET /webhooks/events", {})).body;
    expect(items).toHaveLength(2);
  });

  it("can be disputed and refunded before it is settled", async () => {
    const day = await givenDay(byFiles);
    const { transId } = await day.apply({ kind: "clearing", amount: 500, referenceCode: "D-1" });
    const path = { cardId: day.cardId };
    const disputed = await day.call("POST /cards/{cardId}/chargebacks", {
      path,
      body: { transId, amount: 200 },
    });
    expect(disputed.status).toBe(200);
    await day.feed("f-1", [record("D-1", 500)]);
    expect((await statusesOf(day))(transId)).toBe(3);
  });
});

describe("a clearing file", () => {
  it("settles what it posts, and the withdrawal that was posted before", async () => {
    const files = await givenFiles();
    const number = await givenNumber();
    await number.setProgram({ settlementFiles: true });
    const authorizationId = newId("hold");
    const { transId } = await number.apply({
      kind: "atm_withdrawal",
      authorizationId,
      amount: 1_000,
      feeAmount: 0,
    });
    const bought = await number.apply({ kind: "clearing", amount: 300 });
    expect([
      (await number.record(transId))?.transStatus,
      (await number.record(bought.transId))?.transStatus,
    ]).toEqual([2, 2]);
    await files.feed("clearing", clearingFileOf(newId("event").slice(-20), number.recordOf(1)));
    const types = (await number.records()).map(({ transType, transStatus }) => [transType, transStatus]);
    expect(types).toContainEqual([3, 3]);
    expect((await number.record(bought.transId))?.transStatus).toBe(2);
    // As a record of a file that names the withdrawal's authorization, with what was paid out.
    const { programId, cardId } = number;
    const common = { kind: "clearing", eventId: newId("event"), programId, cardId, final: true } as const;
    await applyEvent(cardChanges, { ...common, authorizationId, amount: 1_200 }, { isOfFile: true });
    expect((await number.record(transId))?.transStatus).toBe(3);
    expect(await number.balances()).toEqual([10_000 - 1_200 - 300 - 1_000, 0, 7_500]);
  });
});
