import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { type GivenProgram, givenCard, givenWallet } from "../../harness/given-cards.ts";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { givenTokens } from "./given-tokens.ts";

skipLeaseWaits();

/** `before`: done before its first event. */
async function given(before: (programId: string) => Promise<void> = async () => {}) {
  const calls = await givenTokens();
  await before(calls.program.programId);
  const { program, cardId, request } = calls;
  const deposit = { path: { cardId }, body: { amount: 100_000 } };
  const { depositId } = (await program.call("POST /cards/{cardId}/deposits", deposit)).body.data;
  await program.call("POST /deposits/{depositId}/clear", { path: { depositId } });
  const { tokenId } = await request(cardId);
  const buy = async (body: object, at = cardId) =>
    (
      await program.call("POST /cards/{cardId}/authorizations", {
        path: { cardId: at },
        body: { amount: 1_000, ...body },
      })
    ).body.data;
  const withdraw = async (body: object) =>
    (
      await program.call("POST /cards/{cardId}/atm-withdrawals", {
        path: { cardId },
        body: { amount: 1_000, ...body },
      })
    ).body.data;
  return { ...calls, tokenId, buy, withdraw };
}

async function stopCard(program: GivenProgram, cardId: string, reason: string): Promise<void> {
  const path = { cardId };
  if (reason === "CARD_BLOCKED")
    await program.operate("block-card", { programId: program.programId, cardId });
  else if (reason === "CARD_ON_HOLD")
    await program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } });
  else {
    const sweepToWalletId = await givenWallet(program);
    await program.call("POST /cards/{cardId}/close", { path, body: { sweepToWalletId } });
  }
}

describe("a purchase with a token", () => {
  it("is approved while the token is active, and shows it", async () => {
    const { program, buy, tokenId, cardId } = await given();
    const { approved, authorizationId } = await buy({ tokenId });
    expect(approved).toBe(true);
    const path = { authorizationId };
    const view = (await program.call("GET /authorizations/{authorizationId}", { path })).body.data;
    expect(view.verification).toMatchObject({ tokenId, wallet: "apple_pay" });
    await program.call("POST /authorizations/{authorizationId}/clear", { path, body: {} });
    const { items } = (await program.call("GET /cards/transactions", { query: { cardId, transType: "3" } }))
      .body;
    expect(items).toMatchObject([{ tokenId, verification: { tokenId } }]);
  });

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

  it("is declined where the token is not active, unknown or another Card's", async () => {
    const { program, buy, withdraw, suspend, resume, remove, request, tokenId, cardId } = await given();
    const { cardId: other } = await givenCard(program);
    const { tokenId: others } = await request(other);
    for (const wrong of [others, newId("token")])
      expect(await buy({ tokenId: wrong })).toMatchObject({ approved: false, declineReason: "NOT_FOUND" });
    await suspend(tokenId);
    expect(await buy({ tokenId })).toMatchObject({ approved: false, declineReason: "TOKEN_NOT_ACTIVE" });
    const ids = { eventId: newId("event"), programId: program.programId, cardId, tokenId };
    const verification = { ...ids, kind: "authorization", authorizationId: "auth-0", amount: 0 } as const;
    expect(await applyEvent(verification)).toMatchObject({ declineReason: "TOKEN_NOT_ACTIVE" });
    expect(await withdraw({ tokenId })).toMatchObject({ declineReason: "TOKEN_NOT_ACTIVE" });
    expect(await buy({})).toMatchObject({ approved: true });
    await resume(tokenId);
    expect(await buy({ tokenId })).toMatchObject({ approved: true });
    await remove(tokenId);
    expect(await buy({ tokenId })).toMatchObject({ declineReason: "TOKEN_NOT_ACTIVE" });
  });

  it.each(["CARD_ON_HOLD", "CARD_BLOCKED", "CARD_CLOSED"] as const)(
    "is declined with the Card's own reason first, as a request is: %s",
    async (declineReason) => {
      const { program, buy, withdraw, request, suspend, tokenId, cardId } = await given();
      const { tokenId: active } = await request(cardId);
      await suspend(tokenId);
      await stopCard(program, cardId, declineReason);
      for (const paysWith of [tokenId, active]) {
        expect(await buy({ tokenId: paysWith })).toMatchObject({ approved: false, declineReason });
        expect(await withdraw({ tokenId: paysWith })).toMatchObject({ approved: false, declineReason });
      }
      expect(await request(cardId)).toMatchObject({ state: "declined", outcome: "declined", declineReason });
    },
  );

  it.each(["suspend", "remove"] as const)(
    "goes on after a %s: increment, clearing and reversal",
    async (step) => {
      const { program, tokenId, cardId, buy, ...steps } = await given();
      const { authorizationId } = await buy({ tokenId });
      expect((await steps[step](tokenId)).status).toBe(200);
      const path = { authorizationId };
      const call = async (step: "increment" | "clear" | "reverse", body: object) =>
        program.call(`POST /authorizations/{authorizationId}/${step}`, { path, body });
      expect((await call("increment", { amount: 500 })).body.data).toMatchObject({ approved: true });
      expect((await call("clear", { amount: 700, final: false })).status).toBe(200);
      expect((await call("reverse", {})).status).toBe(200);
      const { data } = (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body;
      expect([data.availableBalance, data.ledgerBalance]).toEqual([99_300, 99_300]);
    },
  );

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

describe("a control of wallets", () => {
  const controlled = async (wallets: object) => {
    const calls = await given();
    const { program, request, cardId } = calls;
    const { tokenId: google } = await request(cardId, { wallet: "google_pay" });
    await program.call("POST /controls", { body: { name: "Wallets", cardId, wallets } });
    return { ...calls, google };
  };

  it("allows the wallets that it names", async () => {
    const { buy, tokenId, google } = await controlled({ allow: ["apple_pay"] });
    expect(await buy({ tokenId })).toMatchObject({ approved: true });
    expect(await buy({ tokenId: google })).toMatchObject({ declineReason: "CONTROL_DECLINED" });
    expect(await buy({})).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  });

  it("blocks the wallets that it names, and purchases without a token", async () => {
    const { buy, tokenId, google } = await controlled({ block: ["google_pay", "none"] });
    expect(await buy({ tokenId })).toMatchObject({ approved: true });
    expect(await buy({ tokenId: google })).toMatchObject({ declineReason: "CONTROL_DECLINED" });
    expect(await buy({})).toMatchObject({ declineReason: "CONTROL_DECLINED" });
  });
});
