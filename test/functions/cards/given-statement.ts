import { expect } from "vitest";
import { transactions } from "../../../shared/transactions/transaction.ts";
import { givenApprovedCardholder, givenCard, givenProgram, overwrite } from "../../harness/given-cards.ts";

export type Row = Record<string, string | number | boolean> & { transId: string };
export type Query = Record<string, string>;

/** Two cards of one Cardholder and one of another, each with a hold. */
export async function givenStatement() {
  const program = await givenProgram();
  const list = async (query: Query = {}) => {
    const { status, body } = await program.call("GET /cards/transactions", { query });
    expect(status, JSON.stringify(body)).toBe(200);
    return body as { items: Row[]; total: number; limit: number; offset: number };
  };
  const holders = [await givenApprovedCardholder(program), await givenApprovedCardholder(program)];
  const cards: { cardId: string; cardholderId: string }[] = [];
  for (const cardholderId of [holders[0], holders[0], holders[1]]) {
    cards.push(await givenCard(program, { cardholderId }));
  }
  const on = async (card: number, route: string, body: object) => {
    const path = { cardId: cards[card]?.cardId ?? "" };
    const answer = await program.call(`POST /cards/{cardId}/${route}`, { path, body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body.data as Query;
  };
  for (const card of [0, 1, 2]) await on(card, "bank-deposit", { amount: 50_000 });
  await on(0, "force-post", { amount: 1_200, merchantName: "Corner Shop", mcc: "5411" });
  await on(0, "refunds", { amount: 300 });
  await on(1, "atm-withdrawals", { amount: 2_000, feeAmount: 250 });
  await on(1, "deposits", { amount: 7_000 });
  const { depositId = "" } = await on(2, "deposits", { amount: 9_000 });
  await program.call("POST /deposits/{depositId}/reverse", { path: { depositId } });
  await on(2, "force-post", { amount: 1_200, srcAmount: 1_000, srcCurrency: "978" });
  await on(0, "authorizations", { amount: 4_000 });
  await on(1, "authorizations", { amount: 500 });
  await on(2, "authorizations", { amount: 70 });
  const declined = await on(2, "authorizations", { amount: 900_000 });
  const { items } = await list({ limit: "200", orderBy: "transId", sort: "asc" });
  const rows = items.slice(1);
  // Most orders are to be decided by ties.
  for (const [index, row] of rows.entries()) {
    row.transDate = `2026-03-01T10:00:0${index % 3}.000Z`;
    row.dateCreated = `2026-03-01T10:00:0${index % 4}.000Z`;
    const { cardId, transDate, dateCreated } = row;
    const key = transactions.key(program.programId, String(cardId), row.transId);
    await overwrite(key, { transDate, createdAt: dateCreated });
  }

  return {
    program,
    cards,
    /** All but the aggregate, in the order of their making. */
    rows,
    declinedId: declined.transId ?? "",
    list,
    ids: ({ items }: { items: Row[] }) => items.map(({ transId }) => transId),
    /** The order by definition: by value, then by id, both in the same direction. */
    ordered: (by: string, sort: string, of: Row[] = rows): string[] => {
      const ascending = of.toSorted((left, right) => {
        const [a, b] = [left[by] as string, right[by] as string];
        return a !== b ? (a < b ? -1 : 1) : left.transId < right.transId ? -1 : 1;
      });
      return (sort === "asc" ? ascending : ascending.toReversed()).map(({ transId }) => transId);
    },
  };
}

export const orders = ["transDate", "transId", "amount", "transType", "transStatus"].flatMap((orderBy) =>
  ["asc", "desc"].map((sort) => [orderBy, sort] as const),
);

/** Pages of each size are the aggregate line and all rows, in order. */
export async function expectWholeList(
  { list, ids, ordered }: Awaited<ReturnType<typeof givenStatement>>,
  orderBy: string,
  sort: string,
  limits: readonly number[],
): Promise<void> {
  const whole = ["pending", ...ordered(orderBy, sort)];
  for (const limit of limits) {
    const collected: string[] = [];
    for (let offset = 0; offset < whole.length; offset += limit) {
      const page = await list({ orderBy, sort, limit: String(limit), offset: String(offset) });
      expect(page).toMatchObject({ total: whole.length, limit, offset });
      collected.push(...ids(page));
    }
    expect(collected, `limit ${limit}`).toEqual(whole);
  }
}
