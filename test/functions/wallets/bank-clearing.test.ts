import { afterEach, describe, expect, it, vi } from "vitest";
import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { handler as wallets } from "../../../functions/wallets/handler.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

async function given(delaySeconds: number) {
  const programId = await givenStoredProgram(delaySeconds);
  const caller = { programId };
  const body = { amount: 100 };
  return {
    programId,
    intoWallet: (walletId: string) =>
      replay(
        wallets,
        apiEvent({ route: "POST /wallets/{walletId}/bank-deposit", caller, path: { walletId }, body }),
      ),
    ontoCard: (cardId: string) =>
      replay(cards, apiEvent({ route: "POST /cards/{cardId}/bank-deposit", caller, path: { cardId }, body })),
  };
}

describe("a bank deposit in an environment without a sandbox", () => {
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.useRealTimers();
  });

  it.each([0, 60])("is pending until the bank confirms it, with a clearing delay of %i", async (delay) => {
    vi.stubEnv("SIMULATED_BANK", "false");
    const { programId, intoWallet, ontoCard } = await given(delay);
    const walletId = await givenStoredWallet(programId);
    const cardId = await givenStoredCard(programId);
    for (const { body } of [await intoWallet(walletId), await ontoCard(cardId)])
      expect(body.data.transStatus).toBe(0);
    const items = await storedItems(programId);
    expect(items.filter(({ sk }) => sk === "DEADLINE")).toMatchObject([
      { kind: "expire_deposit" },
      { kind: "expire_deposit" },
    ]);
    for (const id of [walletId, cardId]) expect(balancesIn(items, id).pendingDepositMinor).toBe(100);
    for (const { sk, depositId } of items) {
      if (sk !== "DEPOSIT") continue;
      const event = { kind: "deposit_cleared", programId, eventId: newId("event"), depositId };
      expect(await processor(event)).toMatchObject({ outcome: "applied" });
    }
    const cleared = await expectBooksInOrder(programId);
    for (const id of [walletId, cardId]) expect(balancesIn(cleared, id).availableMinor).toBe(100);
  });

  it("is not cleared by a deadline from before", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2031, 0, 1) });
    const { programId, intoWallet } = await given(60);
    const walletId = await givenStoredWallet(programId);
    await intoWallet(walletId);
    vi.stubEnv("SIMULATED_BANK", "false");
    vi.setSystemTime(Date.now() + 60_000);
    await sweepDeadlines();
    const items = await expectBooksInOrder(programId);
    expect(balancesIn(items, walletId)).toMatchObject({ availableMinor: 0, pendingDepositMinor: 100 });
    expect(items.filter(({ sk }) => sk === "DEADLINE")).toMatchObject([{ kind: "expire_deposit" }]);
    vi.setSystemTime(Date.now() + 14 * 86_400_000);
    await sweepDeadlines();
    const expired = await expectBooksInOrder(programId);
    expect(balancesIn(expired, walletId).pendingDepositMinor).toBe(0);
    expect(expired.filter(({ sk }) => sk === "DEADLINE")).toEqual([]);
  });

  it("clears by its delay where there is a sandbox", async () => {
    const { programId, intoWallet } = await given(0);
    const walletId = await givenStoredWallet(programId);
    expect((await intoWallet(walletId)).body.data.transStatus).toBe(1);
    expect(balancesIn(await expectBooksInOrder(programId), walletId).availableMinor).toBe(100);
  });
});
