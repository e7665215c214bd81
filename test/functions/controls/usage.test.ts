import { beforeEach, describe, expect, it, vi } from "vitest";
import { interrupt } from "../../harness/faults.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { type GivenControls, givenControls } from "./given-controls.ts";

describe("the usage of a spend control", () => {
  skipLeaseWaits();
  let given: GivenControls;
  let cardId: string;
  let usage: (controlId: string) => Promise<Record<string, unknown>>;
  let counted: (controlId: string, query?: Record<string, string>) => Promise<Counted>;
  beforeEach(async () => {
    given = await givenControls();
    ({ cardId } = await given.givenCard());
    await sandbox("POST /cards/{cardId}/deposits", { cardId }, { amount: 100_000, pending: false });
    usage = async (controlId) =>
      (await given.call("GET /controls/{controlId}/usage", { path: { controlId } })).body.data;
    counted = async (controlId, query = {}) =>
      (await given.call("GET /controls/{controlId}/transactions", { path: { controlId }, query }))
        .body as never;
  });

  interface Counted {
    readonly items: { transId: string; amount: number; count: number; cardId: string; dateCreated: string }[];
    readonly total: number;
  }

  const sandbox = async (route: Parameters<GivenControls["call"]>[0], path: object, body: object = {}) => {
    const answer = await given.call(route, { path: path as Record<string, string>, body });
    expect(answer.status).toBe(200);
    return answer.body.data as Record<string, string>;
  };
  const authorize = (amount: number) =>
    sandbox("POST /cards/{cardId}/authorizations", { cardId }, { amount, merchantName: "Shop" });
  const velocity = async (limit: object, owner: object = { cardId }) =>
    String((await given.create({ velocity: limit, cash: undefined, ...owner })).body.data.controlId);

  const expectSum = async (controlId: string) => {
    const { used, transactions } = (await usage(controlId)) as { used: object; transactions: number };
    const { items, total } = await counted(controlId);
    const sum = (field: "amount" | "count") => items.reduce((all, item) => all + item[field], 0);
    expect(used).toEqual({ amount: sum("amount"), count: sum("count") });
    expect(total).toBe(transactions);
    return { used, transactions };
  };

  it("says the window and the limit", async () => {
    const controlId = await velocity({ amount: 50_000, window: "day" });
    const start = new Date();
    start.setUTCHours(0, 0, 0, 0);
    expect(await usage(controlId)).toEqual({
      controlId,
      window: { start: start.toISOString(), end: new Date(start.getTime() + 86_400_000).toISOString() },
      used: { amount: 0, count: 0 },
      limit: { amount: 50_000 },
      transactions: 0,
    });
  });

  it("of what is not counted has no window", async () => {
    const none = { used: { amount: 0, count: 0 }, transactions: 0 };
    const single = await velocity({ amount: 5, window: "authorization" });
    expect(await usage(single)).toEqual({ controlId: single, limit: { amount: 5 }, ...none });
    const draft = await velocity({ count: 5, window: "day" }, { state: "draft" });
    expect(await usage(draft)).toEqual({ controlId: draft, limit: { count: 5 }, ...none });
    expect(await counted(draft)).toMatchObject({ items: [], total: 0 });
  });

  it("begins anew with another window, and goes on with another limit", async () => {
    const controlId = await velocity({ amount: 5_000, window: "lifetime" });
    await authorize(3_000);
    await given.replace(controlId, { name: "A", velocity: { amount: 4_000, window: "lifetime" } });
    expect(await expectSum(controlId)).toMatchObject({ used: { amount: 3_000 } });
    expect(await sandbox("POST /cards/{cardId}/authorizations", { cardId }, { amount: 1_001 })).toMatchObject(
      {
        approved: false,
        declineReason: "CONTROL_DECLINED",
        controlId,
      },
    );
    for (const window of ["P1D", "day", "lifetime"]) {
      await given.replace(controlId, { name: "A", velocity: { amount: 4_000, window } });
      expect(await expectSum(controlId)).toMatchObject({ used: { amount: 0 }, transactions: 0 });
      await authorize(4_000);
      expect(await expectSum(controlId)).toMatchObject({ used: { amount: 4_000 }, transactions: 1 });
    }
  });

  it.each(["card", "cardholder", "program"] as const)(
    "of a %s is the sum of its transactions if one is counted by the rules before a new window",
    async (owner) => {
      const { cardholderId } = (await given.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
      const owners = { card: { cardId }, cardholder: { cardholderId }, program: {} };
      const controlId = await velocity({ amount: 5_000, window: "day" }, owners[owner]);
      await authorize(1_000);
      const isCommit = (command: string) => command === "TransactWriteItems";
      {
        using _ = interrupt(isCommit, () => authorize(500));
        await given.replace(controlId, { name: "A", velocity: { amount: 4_000, window: "lifetime" } });
      }
      expect(await expectSum(controlId)).toMatchObject({ used: { amount: 0, count: 0 } });
      await authorize(4_000);
      expect(await expectSum(controlId)).toMatchObject({ used: { amount: 4_000, count: 1 } });
    },
  );

  it("of a rolling window is what was counted within its length", async () => {
    const controlId = await velocity({ amount: 5_000, window: "PT10M" });
    await authorize(3_000);
    const later = (minutes: number) =>
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * 60_000, shouldAdvanceTime: true });
    later(9);
    await authorize(2_000);
    expect(await expectSum(controlId)).toMatchObject({ used: { amount: 5_000 }, transactions: 2 });
    later(2);
    expect(await expectSum(controlId)).toMatchObject({ used: { amount: 2_000 }, transactions: 1 });
  });

  it("gets pages of its transactions, the newest first", async () => {
    const controlId = await velocity({ amount: 50_000, window: "day" });
    for (const amount of [1, 2, 3]) await authorize(amount);
    const { items, total } = await counted(controlId, { limit: "2" });
    expect([items.map(({ amount }) => amount), total]).toEqual([[3, 2], 3]);
  });
});
