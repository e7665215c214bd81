import { describe, expect, it } from "vitest";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { givenTokens } from "./given-tokens.ts";

/** `before`: done before its first event. */
async function given(before: (programId: string) => Promise<void> = async () => {}) {
  const calls = await givenTokens();
  await before(calls.program.programId);
  const { program, cardId, request } = calls;
  const deposit = { path: { cardId }, body: { amount: 100_000 } };
  const { depositId } = (await program.call("POST /cards/{cardId}/deposits", deposit)).body.data;
  await program.call("POST /deposits/{depositId}/clear", { path: { depositId } });
  const { tokenId } = await request(cardId);
  const buy = async (body: object) =>
    (
      await program.call("POST /cards/{cardId}/authorizations", {
        path: { cardId },
        body: { amount: 1_000, ...body },
      })
    ).body.data;
  return { ...calls, tokenId, buy };
}

describe("a purchase with a token", () => {
  it("is in the question to the Program's server, with what was verified", async () => {
    let receiver: Awaited<ReturnType<typeof givenReceiver>> | undefined;
    const { buy, tokenId } = await given(async (programId) => {
      receiver = await givenReceiver(programId, approve);
    });
    expect(await buy({ tokenId, cvc: "match", terminalId: "T7" })).toMatchObject({ approved: true });
    expect(receiver?.questions).toMatchObject([
      { verification: { tokenId, wallet: "apple_pay", cvc: "match", terminalId: "T7", recurring: false } },
    ]);
  });

  it("wins or loses against a suspension at the same time, and never comes after it", async () => {
    const { buy, suspend, resume, tokenId, records, cardId } = await given();
    for (let round = 0; round < 5; round += 1) {
      const [bought] = await Promise.all([buy({ tokenId }), suspend(tokenId)]);
      if (!bought.approved) expect(bought.declineReason).toBe("TOKEN_NOT_ACTIVE");
      expect(await buy({ tokenId })).toMatchObject({ declineReason: "TOKEN_NOT_ACTIVE" });
      await resume(tokenId);
    }
    expect(await records(cardId, { transType: "56" })).toHaveLength(10);
  });
});
