import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as deadlines } from "../../../functions/deadlines/handler.ts";
import { handler as sandbox } from "../../../functions/sandbox/handler.ts";
import { holdDeadlineId } from "../../../shared/authorizations/holds/hold.ts";
import { dueShardCounts } from "../../../shared/platform/deadlines.ts";
import { newId } from "../../../shared/platform/id.ts";
import { chooseShard } from "../../../shared/platform/table/keys.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { lambdaContext, replay } from "../../harness/replay.ts";

/** Mistakes that other ledgers are known to have made, each as a test of this one. */

afterEach(() => void vi.useRealTimers());

describe("a known mistake of other ledgers", () => {
  it("a 409 that moved money: a request answered 409 has changed nothing", async () => {
    const { programId, cardId, apply, everything } = await givenNetwork();
    const hold = newId("hold");
    await apply({ kind: "authorization", authorizationId: hold, amount: 300 });
    await apply({ kind: "authorization_reversal", authorizationId: hold });
    const { transId = "" } = await apply({ kind: "refund", amount: 20 });
    await apply({ kind: "refund_reversal", transId });
    const { feeId = "" } = await apply({ kind: "fee", feeType: 5, amount: 3 });
    await apply({ kind: "fee_reversal", feeId });
    const { transId: purchase = "" } = await apply({ kind: "clearing", amount: 50 });
    const { chargebackId = "" } = await apply({ kind: "chargeback", transId: purchase });
    await apply({ kind: "chargeback_outcome", chargebackId, status: 2 });
    const before = moneyOf(await everything());
    const requests = [
      ["POST /authorizations/{authorizationId}/reverse", { authorizationId: hold }, {}],
      ["POST /authorizations/{authorizationId}/reverse", { authorizationId: hold }, { amount: 1 }],
      ["POST /authorizations/{authorizationId}/expire", { authorizationId: hold }, undefined],
      ["POST /cards/{cardId}/refunds/{transId}/reverse", { cardId, transId }, undefined],
      ["POST /cards/{cardId}/fees/{feeId}/reverse", { cardId, feeId }, undefined],
      ["POST /cards/{cardId}/chargebacks", { cardId }, { transId: purchase }],
      ["POST /chargebacks/{chargebackId}/outcome", { chargebackId }, { status: 3 }],
    ] as const;
    for (const [route, path, body] of requests) {
      const event = apiEvent({ route, path, caller: { programId }, ...(body && { body }) });
      const answer = await replay(sandbox, event);
      expect([route, answer.status, answer.body.code]).toEqual([route, 409, "ILLEGAL_TRANSITION"]);
    }
    expect(moneyOf(await everything())).toEqual(before);
  });

  it("a bulk expiry that drops some: all that are due are released, of however many pages", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2040, 0, 1) });
    const { apply, balances, everything } = await givenNetwork();
    // More than one page of one shard of the index holds.
    const count = 55;
    const ids = Array.from({ length: count * dueShardCounts.urgent * 2 }, (_, n) => `A${n}`);
    const inOneShard = ids
      .filter((id) => chooseShard(holdDeadlineId(id), dueShardCounts.urgent) === 0)
      .slice(0, count);
    expect(inOneShard).toHaveLength(count);
    for (const id of inOneShard) await apply({ kind: "authorization", authorizationId: id, amount: 10 });
    expect(await balances()).toEqual([10_000 - count * 10, count * 10, 10_000]);
    vi.setSystemTime(Date.UTC(2040, 0, 8, 1));
    const context = { ...lambdaContext, getRemainingTimeInMillis: () => 60_000 };
    await Promise.all([deadlines({}, context), deadlines({}, context)]);
    expect(await balances()).toEqual([10_000, 0, 10_000]);
    const items = await everything();
    expect(items.filter(({ transType }) => transType === 13)).toHaveLength(count);
    expect(items.filter(({ dueShard }) => dueShard !== undefined)).toEqual([]);
  });
});

/** What stands in the books, but for the rows that keep what an event was answered. */
function moneyOf(items: readonly { sk: string }[]) {
  return items.filter(({ sk }) => sk !== "EVENT");
}
