import { describe, expect, test, vi } from "vitest";
import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { authorizationList } from "../../../shared/authorizations/holds/history.ts";
import { compactOldChanges } from "../../../shared/lists/compaction.ts";
import { readManifest } from "../../../shared/lists/manifest.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { givenActiveControls } from "../../harness/given-active-controls.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import { givenReceiver } from "../../harness/given-receiver.ts";
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
const steps = ({ events }: { events: Row[] }) =>
  events.map((one) => [
    one.type,
    one.outcome,
    one.amount,
    one.authorizedAmount,
    one.releasedAmount,
    one.clearedAmount,
    one.refundedAmount,
  ]);

const shop = { merchantName: "Café Zürich", mcc: "5814", merchantId: "M1", merchantCountry: "CH" };

describe("an authorization", () => {
  test("shows all that happened to it, in the end what was left of it", async () => {
    const { send, view, cardId } = await given();
    await send("authorization", { amount: 5_000, entryMode: "chip", ...shop });
    const { expiresAt, events, ...open } = await view();
    expect(open).toEqual({
      ...{
        authorizationId: "A",
        cardId,
        cardholderId: expect.stringMatching(/^chd_/),
        status: "pending",
        requestedAmount: 5_000,
      },
      ...{ authorizedAmount: 5_000, releasedAmount: 0, clearedAmount: 0, refundedAmount: 0 },
      ...{ remainingAmount: 5_000, currency: 0, entryMode: "chip", eventCount: 1 },
      merchant: { name: "Café Zürich", id: "M1", mcc: "5814", country: "CH" },
      ...{ dateCreated: events[0]?.dateCreated, dateChanged: events[0]?.dateCreated },
    });
    expect(Date.parse(String(expiresAt)) - Date.parse(String(open.dateCreated))).toBe(7 * 86_400_000);
    await send("authorization_incremental", { amount: 1_000 });
    await send("authorization_reversal", { amount: 500 });
    await send("clearing", { amount: 2_000, final: false });
    const partly = await view();
    expect(amounts(partly)).toEqual(["pending", 6_000, 6_000, 500, 2_000, 0, 3_500]);
    await send("clearing", { amount: 3_000 });
    await send("authorization_reversal", { amount: 400, ofPosted: true });
    const cleared = await view();
    expect(amounts(cleared)).toEqual(["cleared", 6_000, 6_000, 1_000, 5_000, 400, 0]);
    expect(steps(cleared)).toEqual([
      ["authorization", "approved", 5_000, 5_000, 0, 0, 0],
      ["increment", "approved", 1_000, 1_000, 0, 0, 0],
      ["reversal", "approved", 500, 0, 500, 0, 0],
      ["clearing", "approved", 2_000, 0, 0, 2_000, 0],
      ["clearing", "approved", 3_000, 0, 500, 3_000, 0],
      ["reversal", "approved", 400, 0, 0, 0, 400],
    ]);
    expect(cleared).not.toHaveProperty("expiresAt");
    expect(cleared.events.map(({ transId }) => Boolean(transId))).toEqual([
      false,
      false,
      false,
      true,
      true,
      true,
    ]);
    expect(cleared.dateChanged).toBe(cleared.events.at(-1)?.dateCreated);
  });

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

describe("an authorization that the Program's receiver is asked about", () => {
  test("is pending with what is reserved for it, and has its events once it is decided", async () => {
    const { send, view, list, programId, cardId } = await given();
    const asked = Promise.withResolvers<void>();
    const may = Promise.withResolvers<void>();
    await givenReceiver(
      programId,
      async ({ kind }) => {
        asked.resolve();
        await may.promise;
        return kind === "increment" ? { kind: "decline" } : { kind: "approve", amountMinor: 3_000 };
      },
      { deadlineMs: 600_000 },
    );
    const answer = send("authorization", { amount: 5_000, partialApprovalSupported: true, ...shop });
    await asked.promise;
    expect(amounts(await view())).toEqual(["pending", 5_000, 0, 0, 0, 0, 5_000]);
    expect(await view()).toMatchObject({ eventCount: 0, events: [] });
    for (const scope of [{}, { cardId }] as Record<string, string>[])
      expect((await list({ status: "pending", ...scope })).total).toBe(1);
    may.resolve();
    await answer;
    await send("authorization_incremental", { amount: 1_000 });
    const seen = await view();
    expect(amounts(seen)).toEqual(["pending", 6_000, 3_000, 0, 0, 0, 3_000]);
    expect(seen).toMatchObject({ decidedBy: "receiver", eventCount: 2 });
    expect(seen.events).toMatchObject([
      { outcome: "approved", amount: 5_000, authorizedAmount: 3_000, decidedBy: "receiver" },
      { outcome: "declined", amount: 1_000, declineReason: "RECEIVER_DECLINED", decidedBy: "receiver" },
    ]);
    expect(seen.dateChanged).toBe(seen.events[1]?.dateCreated);
  });
});

describe("a declined authorization", () => {
  test.each<[rules: object, message: string, event?: object]>([
    [{ velocity: { amount: 3_000, window: "day" } }, "allows 30.00 USD a day, of which 0.00 USD were used"],
    [{ velocity: { amount: 3_000, window: "authorization" } }, "allows 30.00 USD for one authorization"],
    [{ velocity: { count: 0, window: "PT10M" } }, "allows 0 authorizations in PT10M, of which 0 were made"],
    [{ merchants: { mcc: { block: ["5800-5899"] } } }, "does not allow the merchant category 5814"],
    [{ merchants: { country: { allow: ["US"] } } }, "does not allow the merchant's country CH"],
    [{ merchants: { merchantId: { allow: ["M2"] } } }, "does not allow the merchant M1"],
    [{ entryModes: { allow: ["chip"] } }, "needs the entry mode, which was not sent"],
    [{ currencies: { block: ["840"] } }, "does not allow the currency 840"],
    [{ entryCapabilities: { allow: ["chip"] } }, "does not allow what the terminal can read"],
    [
      { storedCredential: { allow: ["recurring"] } },
      "does not allow this use of a card that the merchant keeps",
    ],
    ...Object.entries({
      addressLine: "the address",
      postalCode: "the postal code",
      cvc: "the security code",
      expiry: "the expiry date",
      pin: "the PIN",
      threeDS: "3-D Secure",
    }).map(([check, name]): [object, string] => [
      { verification: { [check]: { block: ["not_present"] } } },
      `does not allow what the check of ${name} came to`,
    ]),
    [{ wallets: { block: ["none"] } }, "needs the digital wallet, which was not sent"],
    [
      { wallets: { block: ["apple_pay"] } },
      "does not allow the digital wallet apple_pay",
      { verification: { wallet: "apple_pay" } },
    ],
    [{ cash: "block" }, "does not allow cash", { mcc: "6011" }],
    [{ merchantLock: true }, "allows only the merchant of its first approval", { merchantId: undefined }],
  ])("names the control and its rule: %j", async (rules, message, event = {}) => {
    const network = await given();
    const [controlId] = await givenActiveControls(network, [{ owner: "card", rules } as never]);
    await network.send("authorization", { amount: 5_000, ...shop, ...event });
    expect(await network.view()).toMatchObject({
      ...{ status: "declined", declineReason: "CONTROL_DECLINED", controlId },
      declineMessage: `The authorization of 50.00 USD at Café Zürich was declined: the spend control ${controlId} ${message}.`,
    });
  });
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
