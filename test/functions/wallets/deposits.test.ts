import { beforeAll, describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";

let program: GivenProgram;
let walletId: string;
let cardId: string;
/** The ids of the deposits by what became of them. */
const ids: Record<string, string> = {};

async function done(route: Parameters<GivenProgram["call"]>[0], path: Record<string, string>, body: object) {
  const answer = await program.call(route, { path, body });
  if (answer.status !== 200) throw new Error(`${route}: ${JSON.stringify(answer.body)}`);
  return answer.body.data;
}

async function list(query: Record<string, string> = {}) {
  const { status, body } = await program.call("GET /deposits", { query });
  return {
    status,
    code: body.code,
    total: body.total,
    ids: body.items?.map(({ depositId }: { depositId: string }) => depositId),
  };
}

beforeAll(async () => {
  program = await givenProgram();
  ({ walletId } = await done("POST /wallets", {}, { name: "Float" }));
  ({ cardId } = await givenCard(program));
  const bank = { amount: 900, reference: "INV-8" };
  ids.bank = (await done("POST /wallets/{walletId}/bank-deposit", { walletId }, bank)).depositId;
  for (const settle of ["clear", "reverse"] as const) {
    const { depositId } = await done("POST /wallets/{walletId}/deposits", { walletId }, { amount: 70 });
    await done(`POST /deposits/{depositId}/${settle}`, { depositId }, {});
    ids[settle] = depositId;
  }
  ids.pending = (await done("POST /cards/{cardId}/deposits", { cardId }, { amount: 30 })).depositId;
  ids.card = (await done("POST /cards/{cardId}/bank-deposit", { cardId }, { amount: 20 })).depositId;
});

const named = (...names: string[]) => names.map((name) => ids[name]);

describe("GET /deposits", () => {
  it("lists the deposits of Wallets and Cards, newest first, in four round trips at most", async () => {
    const { result, cost } = await measure(() => list());
    expect(result.ids).toEqual(named("card", "pending", "reverse", "clear", "bank"));
    expect(result.total).toBe(5);
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
  });

  it.each([
    [{ status: "0" }, ["pending"]],
    [{ status: "1" }, ["bank", "clear", "card"]],
    [{ status: "2" }, ["reverse"]],
    [{ status: "3" }, []],
    [{ channel: "bank" }, ["bank", "card"]],
    [{ channel: "crypto", status: "1" }, ["clear"]],
    [{ before: "1" }, []],
    [{ limit: "2", offset: "1" }, ["clear", "reverse"], 5],
  ] as const)("filters by %j", async (query, expected, total: number = expected.length) => {
    expect(await list({ sort: "asc", ...query })).toMatchObject({ ids: named(...expected), total });
  });

  it("filters by Wallet and by Card, and by their status there", async () => {
    const [ofWallet, ofCard] = [named("bank", "clear", "reverse"), named("pending", "card")];
    expect(await list({ walletId, sort: "asc" })).toMatchObject({ ids: ofWallet, total: 3 });
    expect(await list({ cardId, sort: "asc" })).toMatchObject({ ids: ofCard, total: 2 });
    expect(await list({ walletId, status: "1", channel: "crypto" })).toMatchObject({ ids: named("clear") });
    const nobodys: Record<string, string>[] = [
      { walletId, cardId },
      { walletId: cardId },
      { cardId: walletId },
    ];
    for (const nobody of nobodys) {
      expect(await list(nobody)).toMatchObject({ status: 200, ids: [], total: 0 });
    }
  });

  it.each([
    ["depositId", ["bank", "clear", "reverse", "pending", "card"]],
    ["dateCreated", ["bank", "clear", "reverse", "pending", "card"]],
    ["amount", ["card", "pending", "clear", "reverse", "bank"]],
    ["status", ["pending", "bank", "clear", "card", "reverse"]],
  ])("orders by %s both ways, ties by id", async (orderBy, expected) => {
    expect((await list({ orderBy, sort: "asc" })).ids).toEqual(named(...expected));
    expect((await list({ orderBy, sort: "desc" })).ids).toEqual(named(...expected).toReversed());
  });

  it.each<Record<string, string>>([
    { limit: "201" },
    { status: "4" },
    { channel: "cash" },
    { orderBy: "channel" },
    { sort: "up" },
  ])("refuses %j with 422", async (query) => {
    expect(await list(query)).toMatchObject({ status: 422, code: "VALIDATION_FAILED" });
  });
});

describe("GET /deposits/{depositId}", () => {
  const view = async (depositId = "", by = program) =>
    by.call("GET /deposits/{depositId}", { path: { depositId } });

  it("is what the list shows", async () => {
    const { body } = await program.call("GET /deposits", { query: { sort: "asc" } });
    expect(body.items[0]).toEqual({
      ...{ depositId: ids.bank, walletId, channel: "bank", amount: 900, currency: 0, status: 1 },
      ...{ reference: "INV-8", dateCreated: body.items[0].dateCreated },
      dateSettled: body.items[0].dateCreated,
      expiresAt: expect.any(String),
    });
    expect(body.items[3]).toMatchObject({ cardId, channel: "crypto", status: 0 });
    expect(body.items[3]).not.toHaveProperty("dateSettled");
    expect(body.items[2].dateSettled >= body.items[2].dateCreated).toBe(true);
    for (const item of body.items) {
      expect((await view(item.depositId)).body.data).toEqual(item);
    }
  });

  it("does not exist for another Program, nor for the Tenant's key, whose list is empty", async () => {
    const other = await givenProgram();
    expect((await view(ids.bank, other)).status).toBe(404);
    expect((await other.call("GET /deposits")).body).toMatchObject({ items: [], total: 0 });
    const caller = { ...program.caller, level: "tenant" } as const;
    const path = { depositId: ids.bank ?? "" };
    const asTenant = (route: "GET /deposits" | "GET /deposits/{depositId}") =>
      replay(handler, apiEvent({ route, caller, path }));
    expect((await asTenant("GET /deposits/{depositId}")).status).toBe(404);
    expect((await asTenant("GET /deposits")).body).toMatchObject({ status: "success", items: [], total: 0 });
  });
});
