import { describe, expect, test, vi } from "vitest";
import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { authorizationList } from "../../../shared/authorizations/holds/history.ts";
import { compactOldChanges } from "../../../shared/lists/compaction.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";

type Row = Readonly<Record<string, unknown>>;

/** A Card with 1,000.00, what its network sends, and what a caller sees. */
async function given(availableMinor = 100_000) {
  const network = await givenNetwork({ availableMinor });
  const { programId, cardId } = network;
  let count = 0;
  const call = (route: string, options: Omit<EventOptions, "route" | "caller"> = {}) =>
    replay(cards, apiEvent({ ...options, route: route as EventOptions["route"], caller: { programId } }));
  const send = async (event: object) => {
    count += 1;
    return (await processor({
      eventId: `e${count}`,
      programId,
      cardId,
      ...event,
    } as never)) as unknown as Row;
  };
  return {
    ...network,
    call,
    /** All of them are of the authorization `A`. */
    send: (kind: string, event: object = {}) => send({ kind, authorizationId: "A", ...event }),
    list: async (query: Record<string, string> = {}) => {
      const { status, body } = await call("GET /authorizations", { query });
      expect(status, JSON.stringify(body)).toBe(200);
      return body as { items: Row[]; total: number };
    },
    view: async (authorizationId = "A") =>
      (await call("GET /authorizations/{authorizationId}", { path: { authorizationId } })).body
        .data as Row & {
        events: Row[];
      },
  };
}

const amounts = (row: Row) => [
  row.status,
  row.requestedAmount,
  row.authorizedAmount,
  row.releasedAmount,
  row.clearedAmount,
  row.refundedAmount,
  row.remainingAmount,
];
describe("an authorization", () => {
  test("has 130 increments as 130 events: the newest 100 at once, all as a list", async () => {
    const { send, view, call, list } = await given(1_000_000);
    await send("authorization", { amount: 1 });
    for (let done = 0; done < 130; done += 1)
      await send("authorization_incremental", { amount: done % 5 === 4 ? 2_000_000 : 10 });
    for (let done = 0; done < 60; done += 1) await send("clearing", { amount: 1, final: false });
    const seen = await view();
    const asked = 1 + 104 * 10 + 26 * 2_000_000;
    expect(amounts(seen)).toEqual(["pending", asked, 1_041, 0, 60, 0, 981]);
    expect([seen.eventCount, seen.events.length]).toEqual([191, 100]);
    const path = { authorizationId: "A" };
    const route = "GET /authorizations/{authorizationId}/events";
    const { body } = await call(route, { path, query: { limit: "200" } });
    const events = body.items as Row[];
    expect([body.total, new Set(events.map(({ eventId }) => eventId)).size]).toEqual([191, 191]);
    expect(events.slice(-100)).toEqual(seen.events);
    expect(events.slice(0, 3).map(({ type }) => type)).toEqual(["authorization", "increment", "increment"]);
    const newest = await call(route, { path, query: { sort: "desc", limit: "1" } });
    expect(newest.body.items).toEqual(events.slice(-1));
    const { body: rows } = await call("GET /cards/transactions", { query: { ...path, limit: "200" } });
    expect([rows.total, rows.items[0].authorizationId]).toEqual([60, "A"]);
    expect((await list()).items).toEqual([expect.objectContaining({ requestedAmount: asked })]);
  }, 180_000);
});

describe("GET /authorizations", () => {
  test("200: the same pages once the list is compacted, whatever the network's references are like", async () => {
    const { send, list, programId } = await given(1_000_000);
    const references = [
      "0",
      "zzz_1",
      "AUTH/77#1",
      "01M8HQD5BTYH9442TPXM4DMGQ2",
      "hld_01M8HQD5BTYH9442TPXM4DMGQ2",
    ];
    for (const [index, authorizationId] of references.entries())
      await send("authorization", {
        authorizationId,
        amount: 500 - index,
        mcc: `541${index}`,
        ...{ merchantName: "Shop" },
      });
    await send("clearing", { authorizationId: "zzz_1", amount: 10 });
    await send("authorization_reversal", { authorizationId: "0" });
    const queries = ["dateCreated", "authorizationId", "requestedAmount", "status"].flatMap((orderBy) => [
      { orderBy },
      { orderBy, sort: "asc", limit: "2", offset: "1" },
      ...[
        { status: "pending" },
        { amountFrom: "498" },
        { mcc: "5413" },
        { merchant: "sho", status: "cleared" },
      ].map((filter) => ({ orderBy, ...filter })),
    ]) as Record<string, string>[];
    // One after another: a busy machine does not answer them all in time at once.
    const pages = async () => {
      const found = [];
      for (const query of queries) found.push(await list(query));
      return found;
    };
    const before = await pages();
    expect(before.map(({ total }) => total).slice(0, 6)).toEqual([5, 5, 3, 3, 1, 1]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 40 * 86_400_000 });
    try {
      const ofProgram = { programId, kind: authorizationList };
      await compactOldChanges(ofProgram);
      expect((await readManifest(ofProgram)).segments).toHaveLength(1);
      expect(await pages()).toEqual(before);
      await send("clearing", { authorizationId: "AUTH/77#1", amount: 20 });
      expect(
        (await list({ status: "cleared", orderBy: "authorizationId", sort: "asc" })).items,
      ).toMatchObject([
        { authorizationId: "AUTH/77#1", clearedAmount: 20 },
        { authorizationId: "zzz_1", clearedAmount: 10 },
      ]);
      expect((await list()).total).toBe(5);
    } finally {
      vi.useRealTimers();
    }
  });

  test("200: a page of a short list is few reads", async () => {
    const { send, call } = await given();
    await send("authorization", { amount: 100 });
    const { cost } = await measure(() => call("GET /authorizations"));
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
  });
});
