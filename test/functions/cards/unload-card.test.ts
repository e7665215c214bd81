import { describe, expect, test } from "vitest";
import { expectBooksInOrder, storedEntries, storedKinds } from "../../harness/books.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
import { eventsIn, storedEvents, storedItems } from "../../harness/stored.ts";
import { holdCall } from "../../shared/lists/given-list.ts";

async function given(amount = 1_000) {
  const program = await givenProgram();
  const { cardId } = await givenCard(program);
  const wallet = await program.call("POST /wallets", { body: { name: "Returns" } });
  const path = { cardId };
  if (amount > 0) await program.call("POST /cards/{cardId}/bank-deposit", { path, body: { amount } });
  const walletId = wallet.body.data.walletId as string;
  const unload = (body: object = {}, headers = {}) =>
    program.call("POST /cards/{cardId}/unload", {
      path,
      body: { walletId, amount: 400, ...body },
      headers,
    });
  return { program, cardId, walletId, unload, path };
}

const onCard = async (program: GivenProgram, cardId: string) =>
  (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body.data.availableBalance;
const inWallet = async (program: GivenProgram, walletId: string) =>
  (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;

describe("POST /cards/{cardId}/unload", () => {
  test("200: moves the money, and leaves record, entry, event and a line on the statement (88)", async () => {
    const { program, cardId, walletId, unload } = await given();
    const { status, body } = await unload({ memo: "Refund", externalId: "u-1" });
    expect(status).toBe(200);
    const { transferId, dateCreated, ...data } = body.data;
    expect(data).toEqual({
      transStatus: 1,
      sourceCardId: cardId,
      destinationType: 0,
      destinationId: walletId,
      requestedAmount: 400,
      transferredAmount: 400,
      currency: 0,
      memo: "Refund",
      externalId: "u-1",
    });
    expect([await onCard(program, cardId), await inWallet(program, walletId)]).toEqual([600, 400]);
    const lines = await program.call("GET /cards/transactions", { query: { cardId, transType: "88" } });
    expect(lines.body.items).toMatchObject([
      { type: "DR", amount: 400, description: "Card unload", referenceCode: transferId },
    ]);
    const transfers = await program.call("GET /wallets/{walletId}/transfers", { path: { walletId } });
    expect(transfers.body).toMatchObject({ total: 1, items: [body.data] });
    const inflow = await program.call("GET /wallets/{walletId}/transactions", { path: { walletId } });
    expect(inflow.body.items).toMatchObject([
      { type: "card_unload", amount: 400, relatedId: transferId, description: "Refund" },
    ]);
    const items = await expectBooksInOrder(program.programId);
    expect(storedEntries(items).filter(({ entry }) => entry.kind === "card_unload")).toHaveLength(2);
    const events = await storedEvents(program.programId);
    const completed = events.filter(({ kind }) => kind === "transfer.completed");
    expect(completed).toMatchObject([{ detail: { transferId, sourceCardId: cardId } }]);
  });

  test("200: from a card that this worker knows in one round trip", async () => {
    const { unload } = await given();
    await unload({ amount: 1 });
    const { cost } = await measure(() => unload({ amount: 1 }));
    expect(cost.calls).toEqual(["TransactWriteItems"]);
  });

  test("200: a decline is recorded", async () => {
    const { program, unload } = await given(399);
    expect((await unload()).body.data).toMatchObject({
      ...{ transStatus: 2, requestedAmount: 400, transferredAmount: 0 },
    });
    const items = await storedItems(program.programId);
    expect(storedKinds(items)).not.toContain("card_unload");
    expect(eventsIn(items).map(({ kind }) => kind)).toContain("transfer.declined");
  });

  test("409 CARD_BLOCKED: blocked between decision and commit", async () => {
    const { program, cardId, unload } = await given();
    const held = holdCall((input) => input.includes("TRANSFER#"));
    const unloading = unload();
    await held.reached;
    await program.operate("block-card", { programId: program.programId, cardId });
    held.release();
    expect((await unloading).body.code).toBe("CARD_BLOCKED");
    expect(await onCard(program, cardId)).toBe(1_000);
  });
});
