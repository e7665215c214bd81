import { describe, expect, test } from "vitest";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { measure } from "../../harness/measure.ts";
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

describe("POST /cards/{cardId}/unload", () => {
  test("200: from a card that this worker knows in one round trip", async () => {
    const { unload } = await given();
    await unload({ amount: 1 });
    const { cost } = await measure(() => unload({ amount: 1 }));
    expect(cost.calls).toEqual(["TransactWriteItems"]);
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
