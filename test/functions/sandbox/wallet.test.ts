import { afterEach, describe, expect, it, vi } from "vitest";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";

afterEach(() => {
  vi.useRealTimers();
});

const google = { wallet: "google_pay", clientDeviceId: "device-1", clientWalletAccountId: "account-1" };

async function apple(program: GivenProgram) {
  return { wallet: "apple_pay", ...(await program.call("GET /wallets/certificates", {})).body.data };
}

async function givenPayload(program: GivenProgram, request: object) {
  const { cardId } = await givenCard(program);
  const body = request as never;
  const answer = await program.call("POST /cards/{cardId}/push-provisioning", { path: { cardId }, body });
  return { cardId, payload: answer.body.data };
}

async function provision(program: GivenProgram, payload: object, more: object = {}) {
  return program.call("POST /wallets/provision", { body: { payload, ...more } as never });
}

async function tokensOf(program: GivenProgram, cardId: string) {
  return (await program.call("GET /tokens", { query: { cardId } })).body.items;
}

describe("POST /wallets/provision", () => {
  it("asks for a token of the Card, as the wallet that the payload is for", async () => {
    const program = await givenProgram();
    for (const [request, wallet, requestorId] of [
      [await apple(program), "apple_pay", "40010030273"],
      [google, "google_pay", "40010075001"],
    ] as const) {
      const { cardId, payload } = await givenPayload(program, request);
      const device = { type: "phone", name: "My phone" };
      const { status, body } = await provision(program, payload, { device, risk: "green" });
      expect([status, body.data.outcome, body.data.state]).toEqual([200, "step_up", "verifying"]);
      const { tokenId } = body.data;
      expect(await tokensOf(program, cardId)).toMatchObject([
        { tokenId, cardId, wallet, requestorId, network: "visa", device, risk: "green" },
      ]);
    }
  });

  it("is decided by the Program's rules, and by the state of the Card then", async () => {
    const program = await givenProgram();
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const one = await givenPayload(program, await apple(program));
    expect((await provision(program, one.payload)).body.data.state).toBe("active");
    const two = await givenPayload(program, await apple(program));
    await program.call("PUT /cards/{cardId}/status", { path: { cardId: two.cardId }, body: { status: 2 } });
    expect((await provision(program, two.payload)).body.data).toMatchObject({
      outcome: "declined",
      declineReason: "CARD_ON_HOLD",
    });
  });

  it("uses a payload once, also of many at once", async () => {
    const program = await givenProgram();
    const { cardId, payload } = await givenPayload(program, await apple(program));
    const answers = await Promise.all(Array.from({ length: 5 }, () => provision(program, payload)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body.code).toBe("ILLEGAL_TRANSITION");
    expect(await tokensOf(program, cardId)).toHaveLength(1);
  });

  it("refuses what is too old, changed, another Program's, or not whole", async () => {
    const program = await givenProgram();
    const { payload } = await givenPayload(program, await apple(program));
    const fault = async (given: object, by = program) => (await provision(by, given)).body.errors[0];
    const unreadable = { path: "body.payload", code: "unreadable" };
    expect(await fault(payload, await givenProgram())).toMatchObject(unreadable);
    expect(await fault({ ...payload, activationData: "AAAA" })).toMatchObject(unreadable);
    expect(await fault({ opaquePaymentCard: "YQ.YQ.YQ.YQ.YQ" })).toMatchObject(unreadable);
    expect(await fault({ activationData: payload.activationData })).toMatchObject({ path: "body.payload" });
    expect(await fault({})).toMatchObject({ path: "body.payload" });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 10 * 60_000 + 1_000 });
    expect(await fault(payload)).toMatchObject({ path: "body.payload", code: "expired" });
  });

  it("knows the nonces that its wallet gave", async () => {
    const program = await givenProgram();
    const { nonceSignature } = await apple(program);
    const { payload } = await givenPayload(program, { ...(await apple(program)), nonceSignature });
    expect((await provision(program, payload)).body.errors[0]).toMatchObject({ code: "nonce_unknown" });
  });
});
