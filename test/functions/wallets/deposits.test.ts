import { describe, expect, it } from "vitest";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import type { Query, Row } from "../../harness/list-pages.ts";
import { measure } from "../../harness/measure.ts";

const program = await givenProgram();
const walletId = await givenWallet(program);
const { cardId } = await givenCard(program);
const page = async (query: Query = {}) => (await program.call("GET /deposits", { query })).body;

async function deposited(of: "wallets" | "cards", kind: string, body: object): Promise<string> {
  const route = of === "wallets" ? "POST /wallets/{walletId}/" : "POST /cards/{cardId}/";
  const answer = await program.call(`${route}${kind}` as never, { path: { walletId, cardId }, body });
  return answer.body.data.depositId;
}
const ids = [await deposited("wallets", "bank-deposit", { amount: 900, reference: "INV-8" })];
for (const settle of ["clear", "reverse"] as const) {
  const depositId = await deposited("wallets", "deposits", { amount: 70 });
  await program.call(`POST /deposits/{depositId}/${settle}`, { path: { depositId } });
  ids.push(depositId);
}
ids.push(
  await deposited("cards", "deposits", { amount: 30 }),
  await deposited("cards", "bank-deposit", { amount: 20 }),
);
const rows: Row[] = (await page({ sort: "asc" })).items;

describe("GET /deposits", () => {
  it("lists the deposits of Wallets and Cards, newest first, in four round trips at most", async () => {
    const { result, cost } = await measure(() => page());
    expect(result.items.map(({ depositId }: Row) => depositId)).toEqual(ids.toReversed());
    expect(result.total).toBe(5);
    expect(cost.roundTrips).toBeLessThanOrEqual(4);
  });

  it("are found by an externalId, which several may have", async () => {
    const made: string[] = [];
    for (const externalId of ["same", "same", "other"])
      made.push(await deposited("wallets", "bank-deposit", { amount: 1, externalId }));
    const { items } = await page({ externalId: "same", sort: "asc" });
    expect(items.map(({ depositId }: Row) => depositId)).toEqual(made.slice(0, 2));
  });
});

describe("GET /deposits/{depositId}", () => {
  it("is what the list shows", async () => {
    const [bank, , reversed, pending] = rows;
    expect(bank).toEqual({
      ...{ depositId: ids[0], walletId, channel: "bank", amount: 900, currency: 0, status: 1 },
      ...{ reference: "INV-8", dateCreated: bank?.dateCreated, dateSettled: bank?.dateCreated },
      expiresAt: expect.any(String),
      creditorReference: expect.stringMatching(/^RF\d\d/),
    });
    expect(pending).toMatchObject({ cardId, channel: "crypto", status: 0 });
    expect(pending).not.toHaveProperty("dateSettled");
    expect(reversed?.dateSettled >= reversed?.dateCreated).toBe(true);
    for (const row of rows) {
      const path = { depositId: row.depositId };
      expect((await program.call("GET /deposits/{depositId}", { path })).body.data).toEqual(row);
    }
  });
});
