import { beforeAll, describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";

interface Row {
  readonly transferId: string;
  readonly requestedAmount: number;
  readonly transStatus: number;
  readonly dateCreated: string;
}

let programId: string;
let wallet: string;
let other: string;
/** The transfers that touch `wallet`, oldest first. */
const made: Row[] = [];

async function list(walletId: string, query: Record<string, string> = {}) {
  const { body } = await replay(
    handler,
    apiEvent({
      route: "GET /wallets/{walletId}/transfers",
      caller: { programId },
      path: { walletId },
      query,
    }),
  );
  return body as { items: Row[]; total: number; limit: number; offset: number; code?: string };
}

async function transfer(
  sourceWalletId: string,
  destinationType: 0 | 1,
  destinationId: string,
  amount: number,
) {
  const body = { sourceWalletId, destinationType, destinationId, amount, allowPartial: amount === 55 };
  const answer = await replay(
    handler,
    apiEvent({ route: "POST /wallets/transfer", caller: { programId }, body }),
  );
  return answer.body.data as Row;
}

beforeAll(async () => {
  programId = await givenStoredProgram();
  wallet = await givenStoredWallet(programId, 100);
  other = await givenStoredWallet(programId, 50);
  const third = await givenStoredWallet(programId, 10);
  const card = await givenStoredCard(programId);
  made.push(await transfer(wallet, 0, other, 30));
  made.push(await transfer(wallet, 1, card, 20));
  made.push(await transfer(other, 0, wallet, 5));
  made.push(await transfer(wallet, 0, other, 900));
  made.push(await transfer(wallet, 0, other, 5));
  made.push(await transfer(wallet, 0, other, 55));
  await transfer(other, 0, third, 1);
});

const ids = (rows: readonly Row[]) => rows.map(({ transferId }) => transferId);

describe("GET /wallets/{walletId}/transfers", () => {
  it("lists what went out and came in and what was declined, newest first, in one round trip", async () => {
    const { result, cost } = await measure(() => list(wallet));
    expect(ids(result.items)).toEqual(ids(made).toReversed());
    expect(result).toMatchObject({ total: 6, limit: 50, offset: 0 });
    expect(result.items.toReversed()).toEqual(made);
    expect(cost.roundTrips).toBe(1);
    expect((await list(other)).total).toBe(6);
  });

  it.each([
    [1, [30, 20, 5, 5]],
    [2, [900]],
    [3, [55]],
    [0, []],
    [4, []],
  ])("filters by transStatus %i", async (transStatus, amounts) => {
    const { items, total } = await list(wallet, { transStatus: String(transStatus), sort: "asc" });
    expect(items.map(({ requestedAmount }) => requestedAmount)).toEqual(amounts);
    expect(total).toBe(amounts.length);
  });

  it.each(["transferId", "dateCreated", "amount"])("orders by %s both ways, ties by id", async (orderBy) => {
    const up = await list(wallet, { orderBy, sort: "asc" });
    const down = await list(wallet, { orderBy, sort: "desc" });
    expect(ids(down.items)).toEqual(ids(up.items).toReversed());
    if (orderBy === "amount") {
      expect(up.items.map(({ requestedAmount }) => requestedAmount)).toEqual([5, 5, 20, 30, 55, 900]);
      expect(ids(up.items.slice(0, 2))).toEqual([made[2]?.transferId, made[4]?.transferId]);
    } else {
      expect(ids(up.items)).toEqual(ids(made));
    }
  });

  it("pages without repeating or skipping a row", async () => {
    const seen: string[] = [];
    for (let offset = 0; offset < 6; offset += 2) {
      const page = await list(wallet, { orderBy: "amount", limit: "2", offset: String(offset) });
      expect(page).toMatchObject({ total: 6, limit: 2, offset });
      seen.push(...ids(page.items));
    }
    expect(seen.toSorted()).toEqual(ids(made).toSorted());
    expect((await list(wallet, { offset: "6" })).items).toEqual([]);
  });

  it("lists what was created strictly before and after", async () => {
    const second = Math.floor(Date.parse(made[0]?.dateCreated ?? "") / 1000);
    expect((await list(wallet, { after: String(second - 1), before: String(second + 60) })).total).toBe(6);
    expect((await list(wallet, { after: String(second + 60) })).total).toBe(0);
    expect((await list(wallet, { before: String(second) })).total).toBe(0);
  });

  it.each<Record<string, string>>([
    { limit: "0" },
    { limit: "201" },
    { offset: "-1" },
    { transStatus: "5" },
    { orderBy: "memo" },
  ])("refuses %j with 422", async (query) => {
    expect((await list(wallet, query)).code).toBe("VALIDATION_FAILED");
  });
});
