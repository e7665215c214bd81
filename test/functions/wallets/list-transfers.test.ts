import { describe, expect, it } from "vitest";
import { handler } from "../../../functions/wallets/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import type { Row } from "../../harness/list-pages.ts";
import { measure } from "../../harness/measure.ts";
import { replay } from "../../harness/replay.ts";

const programId = await givenStoredProgram();
const caller = { programId };
const [wallet, other, third] = [
  await givenStoredWallet(programId, 100),
  await givenStoredWallet(programId, 50),
  await givenStoredWallet(programId, 10),
];
const card = await givenStoredCard(programId);

const pageOf = async (walletId: string) => {
  const route = "GET /wallets/{walletId}/transfers";
  const { body } = await replay(handler, apiEvent({ route, caller, path: { walletId } }));
  return body as { items: Row[]; total: number };
};
/** Of 55, what there is. */
const transfer = async (sourceWalletId: string, destinationId: string, amount: number): Promise<Row> => {
  const destination = { destinationType: destinationId === card ? 1 : 0, destinationId };
  const body = { sourceWalletId, ...destination, amount, allowPartial: amount === 55 };
  return (await replay(handler, apiEvent({ route: "POST /wallets/transfer", caller, body }))).body.data;
};
const rows: Row[] = [];
for (const [from, to, amount] of [
  ...([
    [wallet, other, 30],
    [wallet, card, 20],
    [other, wallet, 5],
  ] as const),
  ...([
    [wallet, other, 900],
    [wallet, other, 5],
    [wallet, other, 55],
  ] as const),
])
  rows.push(await transfer(from, to, amount));
await transfer(other, third, 1);
describe("GET /wallets/{walletId}/transfers", () => {
  it("lists what went out and came in and what was declined, newest first, in one round trip", async () => {
    const { result, cost } = await measure(() => pageOf(wallet));
    expect(result).toEqual({ status: "success", items: rows.toReversed(), total: 6, limit: 50, offset: 0 });
    expect(cost.roundTrips).toBe(1);
    expect((await pageOf(other)).total).toBe(6);
    expect(rows.map(({ transStatus }) => transStatus)).toEqual([1, 1, 1, 2, 1, 3]);
  });
});
