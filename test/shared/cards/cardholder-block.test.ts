import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cardholders } from "../../../shared/cardholders/cardholder.ts";
import { cards } from "../../../shared/cards/card.ts";
import { applyCardholderBlock } from "../../../shared/cards/cardholder-block.ts";
import { cardsOfCardholder } from "../../../shared/cards/cards-of-cardholder.ts";
import { exists } from "../../../shared/platform/table/condition.ts";
import { ContendedError } from "../../../shared/platform/table/retry.ts";
import { withinTime } from "../../../shared/platform/time-budget.ts";
import { operate } from "../../harness/administration.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenApprovedCardholder, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { givenCopies } from "../../harness/given-copies.ts";

/** Time that the conflicts have taken. */
let skewMs = 0;
beforeEach(() => {
  skewMs = 0;
  const monotonicMs = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementation(() => monotonicMs() + skewMs);
});
afterEach(() => vi.restoreAllMocks());

/** More Cards than fit into two transactions, of a Cardholder whose block none of them has yet. */
async function givenBusyCards() {
  const program = await givenProgram();
  const { programId } = program;
  const cardholderId = await givenApprovedCardholder(program);
  const { cardId } = await givenCard(program, { cardholderId });
  const keys = [cards.key(programId, cardId), cardsOfCardholder.key(programId, cardholderId, cardId)];
  const cardIds = [cardId, ...(await givenCopies(cardId, 50, keys))];
  {
    using _ = injectFaults(({ input }) =>
      JSON.stringify(input).includes("SET #cardholderBlockedAt") ? "lost" : undefined,
    );
    await expect(operate("block-cardholder", { programId, cardholderId })).rejects.toThrow();
  }
  const countBlocked = async () => {
    const views = cardIds.map((cardId) => program.call("GET /cards/{cardId}", { path: { cardId } }));
    return (await Promise.all(views)).filter(({ body }) => body.data.blocked).length;
  };
  return { programId, cardholderId, countBlocked };
}

/** Each transaction has two conflicts of 2.5 seconds each. */
function injectConflicts() {
  let conflicts = 0;
  return injectFaults(({ command }) => {
    if (command !== "TransactWriteItems") return undefined;
    conflicts = (conflicts + 1) % 3;
    if (conflicts === 0) return undefined;
    skewMs += 2_500;
    return "conflict";
  });
}

test("outside of an invocation each transaction over busy Cards has its own time for retries", async () => {
  const { programId, cardholderId, countBlocked } = await givenBusyCards();
  using _ = injectConflicts();
  expect(await applyCardholderBlock(programId, cardholderId)).toBe(51);
  expect(await countBlocked()).toBe(51);
});

test("all transactions together have no more time than is left of the invocation", async () => {
  const { programId, cardholderId, countBlocked } = await givenBusyCards();
  using _ = injectConflicts();
  const applied = withinTime(8_000, () => applyCardholderBlock(programId, cardholderId));
  await expect(applied).rejects.toThrow(ContendedError);
  expect(await countBlocked()).toBe(25);
});

test("if the block changes meanwhile, the Cards that have a copy already get the new one", async () => {
  const { programId, cardholderId, countBlocked } = await givenBusyCards();
  const unblock = () => cardholders.at(programId, cardholderId).updateNow({ remove: ["blockedAt"] }, exists);
  let transactions = 0;
  let isUnblocked = false;
  using _ = injectFaults(({ command }) => {
    if (command !== "TransactWriteItems") return undefined;
    transactions += 1;
    if (transactions === 1 || isUnblocked) return undefined;
    if (transactions === 2) void unblock().then(() => (isUnblocked = true));
    return "conflict";
  });
  expect(await applyCardholderBlock(programId, cardholderId)).toBe(51);
  expect(await countBlocked()).toBe(0);
});
