import { expect, it, onTestFinished, vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { newId } from "../../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenCard, givenProgram, givenWallet } from "../../harness/given-cards.ts";
import { givenStoredWallet } from "../../harness/given-stored.ts";
import { measure } from "../../harness/measure.ts";

const program = await givenProgram();
const walletId = await givenWallet(program, 1_234);

/** What becomes of them is in scenarios.txt. */
it.each([
  ["POST /wallets", 1, { name: "Float" }],
  ["GET /wallets", 3],
  ["GET /wallets/{walletId}", 1],
  ["POST /wallets/{walletId}/bank-deposit", 2, { amount: 300 }],
  ["GET /wallets/{walletId}/transactions", 1],
  ["GET /wallets/{walletId}/transfers", 1],
  ["GET /deposits", 4],
] as const)("%s takes so many round trips at most: %i", async (route, most, body?: object) => {
  const { result, cost } = await measure(() =>
    program.call(route, { path: { walletId }, ...(body && { body }) }),
  );
  expect(result.status).toBe(200);
  expect(cost.roundTrips).toBeLessThanOrEqual(most);
});

it("lists more Wallets than one batch of reads can hold", async () => {
  const many = await givenProgram();
  await Promise.all(Array.from({ length: 120 }, () => givenStoredWallet(many.programId)));
  const { body } = await many.call("GET /wallets");
  expect(body.total).toBe(120);
  expect(new Set(body.items.map((item: { walletId: string }) => item.walletId)).size).toBe(120);
});

it("of cancellation and clearing of a deposit at once, one wins", async () => {
  vi.stubEnv("SIMULATED_BANK", "false");
  onTestFinished(() => void vi.unstubAllEnvs());
  const { cardId } = await givenCard(program);
  const body = { amount: 1_000 };
  const answer = await program.call("POST /cards/{cardId}/bank-deposit", { path: { cardId }, body });
  const { depositId } = answer.body.data;
  const { programId } = program;
  const clearing = { kind: "deposit_cleared", programId, eventId: newId("event"), depositId };
  const [cancelled, cleared] = await Promise.all([
    program.call("POST /deposits/{depositId}/cancel", { path: { depositId } }),
    processor(clearing),
  ]);
  const isCleared = (cleared as { outcome: string }).outcome === "applied";
  expect([cancelled.status, isCleared]).toEqual(isCleared ? [409, true] : [200, false]);
  const items = await expectBooksInOrder(programId);
  expect(balancesIn(items, String(cardId)).availableMinor).toBe(isCleared ? 1_000 : 0);
});
