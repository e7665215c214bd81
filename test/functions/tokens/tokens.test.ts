import { afterEach, describe, expect, it, vi } from "vitest";
import { challenges } from "../../../shared/passcodes/passcode.ts";
import { newId } from "../../../shared/platform/id.ts";
import { entered } from "../../../shared/tokens/steps.ts";
import { tokens } from "../../../shared/tokens/token.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { givenCard, givenProgram, shippingAddress } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { callsOf, givenTokens, rule } from "./given-tokens.ts";

afterEach(() => void vi.useRealTimers());

const wrong = (code: string) => (code === "000000" ? "000001" : "000000");
const brief = (
  records: readonly { transType: number; transStatus: number; amount: number; tokenId: string }[],
) =>
  records.map(({ transType, transStatus, amount, tokenId }) => ({ transType, transStatus, amount, tokenId }));

describe("a token's request", () => {
  it("is approved by a rule: active, with a record of the amount 0", async () => {
    const { request, view, records, cardId, cardholderId } = await givenTokens();
    const device = { type: "phone", name: "Phone", ip: "192.0.2.7" };
    const asked = { tokenReference: "ref-1", tokenLastFour: "4242", device, risk: "green" };
    const made = await request(cardId, asked);
    expect(made).toEqual({
      tokenId: expect.stringMatching(/^tok_/),
      state: "active",
      outcome: "approved",
      decidedBy: "platform",
    });
    const { tokenId } = made;
    expect(await view(tokenId)).toEqual({
      ...{ tokenId, cardId, cardholderId, state: "active", network: "visa", wallet: "apple_pay" },
      ...{ requestorId: "40010030273", ...asked, decidedBy: "platform" },
      ...{ dateCreated: expect.any(String), dateActivated: expect.any(String) },
    });
    expect(brief(await records(cardId))).toEqual([{ transType: 55, transStatus: 3, amount: 0, tokenId }]);
  });

  it("asks for a passcode in a Program without rules", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { request, records } = callsOf(program);
    expect(await request(cardId)).toMatchObject({ state: "verifying", outcome: "step_up" });
    expect(await records(cardId)).toMatchObject([{ transType: 55, transStatus: 1 }]);
  });

  it("is decided by the first rule that fits", async () => {
    const { request, cardId } = await givenTokens({
      rules: [
        rule({ wallet: ["apple_pay", "google_pay"], risk: ["red"] }, "decline"),
        rule({ deviceType: ["watch"] }, "step_up"),
        rule({ requestorId: ["r-1"] }, "decline"),
        rule({ wallet: ["apple_pay"] }, "approve"),
      ],
      otherwise: "decline",
    });
    const outcome = async (body: object) => (await request(cardId, body)).outcome;
    expect(await outcome({ risk: "red" })).toBe("declined");
    expect(await outcome({ risk: "green" })).toBe("approved");
    expect(await outcome({ device: { type: "watch" } })).toBe("step_up");
    expect(await outcome({ requestorId: "r-1" })).toBe("declined");
    expect(await outcome({ wallet: "merchant" })).toBe("declined");
  });

  it("is declined by a rule, with a record that only a filter shows", async () => {
    const { request, view, records, cardId } = await givenTokens({ otherwise: "decline" });
    const made = await request(cardId);
    expect(made).toMatchObject({ state: "declined", outcome: "declined", declineReason: "RULE_DECLINED" });
    expect(await view(made.tokenId)).toMatchObject({ state: "declined", dateEnded: expect.any(String) });
    expect(await records(cardId)).toEqual([]);
    expect(await records(cardId, { transType: "55" })).toMatchObject([
      { transType: 55, transStatus: 4, amount: 0, declineReason: "RULE_DECLINED", tokenId: made.tokenId },
    ]);
  });

  it("is declined with the Card's own reason, whatever the rules say", async () => {
    const { program, request, cardId } = await givenTokens();
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 2 } });
    expect(await request(cardId)).toMatchObject({ state: "declined", declineReason: "CARD_ON_HOLD" });
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 1 } });
    await program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
    expect(await request(cardId)).toMatchObject({ state: "declined", declineReason: "CARD_CLOSED" });
  });

  it("with a reference that exists gets the first answer, whatever became of the token", async () => {
    const { program, request, remove, records, cardId } = await givenTokens();
    const [one, other] = await Promise.all([
      request(cardId, { tokenReference: "ref-1" }),
      request(cardId, { tokenReference: "ref-1" }),
    ]);
    expect(one).toEqual(other);
    await remove(one.tokenId);
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "decline" } });
    expect(await request(cardId, { tokenReference: "ref-1" })).toEqual(one);
    expect(await request(cardId, { tokenReference: "ref-1", network: "mastercard" })).toMatchObject({
      outcome: "declined",
    });
    expect(await records(cardId, { transType: "55", transStatus: "3" })).toHaveLength(1);
  });

  it("with the reference of another Card's token is refused", async () => {
    const { program, request, cardId } = await givenTokens();
    const { cardId: other } = await givenCard(program);
    await request(cardId, { tokenReference: "ref-1" });
    const body = { wallet: "apple_pay", tokenReference: "ref-1" };
    expect(
      await program.call("POST /cards/{cardId}/token-requests", { path: { cardId: other }, body }),
    ).toMatchObject({ status: 409, body: { code: "ILLEGAL_TRANSITION" } });
  });

  it("is the same event once", async () => {
    const { program, cardId, records } = await givenTokens();
    const event = {
      ...{ kind: "token_request", eventId: newId("event"), programId: program.programId, cardId },
      ...{ network: "visa", wallet: "google_pay", requestorId: "r-1", tokenReference: "ref-9" },
    } as const;
    const first = await applyEvent(event);
    expect(first).toMatchObject({ outcome: "applied", tokenOutcome: "approved", tokenState: "active" });
    expect(await applyEvent(event)).toEqual(first);
    expect(await records(cardId)).toHaveLength(1);
  });

  it("finds at most 10 live tokens of a Card, also at once", async () => {
    const { request, remove, records, cardId } = await givenTokens();
    const made = await Promise.all(Array.from({ length: 14 }, () => request(cardId)));
    const live = made.filter(({ outcome }) => outcome === "approved");
    expect(live).toHaveLength(10);
    for (const one of made.filter((each) => !live.includes(each)))
      expect(one).toMatchObject({ state: "declined", declineReason: "LIMIT_REACHED", decidedBy: "platform" });
    await remove(live[0]?.tokenId ?? "");
    expect(await request(cardId)).toMatchObject({ outcome: "approved" });
    expect(await request(cardId)).toMatchObject({ declineReason: "LIMIT_REACHED" });
    expect(await records(cardId, { transType: "55", transStatus: "4" })).toHaveLength(5);
  });
});

describe("a request with what is printed on a plastic", () => {
  /** A physical Card; its first plastic is active. */
  const given = async () => {
    const calls = await givenTokens();
    const { program } = calls;
    const { cardId, ...made } = await givenCard(program, { cardForm: 1, shippingAddress });
    const activate = ({ maskedCardNumber, expiryMonth, expiryYear }: Record<string, unknown>) =>
      program.call("POST /cards/{cardId}/activate", {
        path: { cardId },
        body: { lastFour: String(maskedCardNumber).slice(-4), expiryMonth, expiryYear },
      });
    await activate(made);
    const replace = async (reason: string) =>
      (await program.call("POST /cards/{cardId}/replace", { path: { cardId }, body: { reason } })).body.data;
    const { plasticId: first } = (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
    const outcome = async (plasticId?: string) => {
      const made = await calls.request(cardId, plasticId === undefined ? {} : { plasticId });
      return made.declineReason ?? made.outcome;
    };
    return { ...calls, cardId, first, activate, replace, outcome };
  };

  it("is declined for one that was stopped, whatever the rules say", async () => {
    const { first, activate, replace, outcome, records, cardId } = await given();
    expect(await outcome(first)).toBe("approved");
    const made = await replace("stolen");
    expect(await outcome(first)).toBe("PLASTIC_STOPPED");
    expect(await records(cardId, { transType: "55", transStatus: "4" })).toMatchObject([
      { declineReason: "PLASTIC_STOPPED" },
    ]);
    expect([await outcome(made.plasticId), await outcome()]).toEqual(["step_up", "approved"]);
    await activate(made);
    expect([await outcome(first), await outcome(made.plasticId)]).toEqual(["PLASTIC_STOPPED", "approved"]);
  });

  it("is declined for one that was replaced, and for one in the mail beside the active one", async () => {
    const { first, activate, replace, outcome } = await given();
    const made = await replace("damaged");
    expect([await outcome(first), await outcome(made.plasticId)]).toEqual(["approved", "CARD_NOT_ACTIVATED"]);
    await activate(made);
    expect([await outcome(first), await outcome(made.plasticId)]).toEqual(["PLASTIC_REPLACED", "approved"]);
  });

  it("of another Card's plastic is 404", async () => {
    const [one, other] = [await given(), await given()];
    const body = { wallet: "apple_pay", plasticId: other.first };
    const path = { cardId: one.cardId };
    expect((await one.program.call("POST /cards/{cardId}/token-requests", { path, body })).status).toBe(404);
  });
});

describe("a token's steps", () => {
  it("are suspend, resume and delete, each with a record and an event", async () => {
    const { program, request, suspend, resume, remove, records, cardId } = await givenTokens();
    const { tokenId } = await request(cardId);
    expect((await suspend(tokenId, { reason: "Phone lost" })).body.data).toMatchObject({
      state: "suspended",
      reason: "Phone lost",
    });
    expect((await suspend(tokenId)).body.code).toBe("ILLEGAL_TRANSITION");
    const resumed = (await resume(tokenId)).body.data;
    expect(resumed).toMatchObject({ state: "active" });
    expect(resumed.reason).toBeUndefined();
    expect((await resume(tokenId)).status).toBe(409);
    expect((await remove(tokenId)).body.data).toMatchObject({
      state: "deleted",
      dateEnded: expect.any(String),
    });
    for (const again of [await remove(tokenId), await suspend(tokenId), await resume(tokenId)])
      expect(again).toMatchObject({ status: 409, body: { code: "ILLEGAL_TRANSITION" } });
    expect(brief((await records(cardId)).toReversed())).toEqual([
      { transType: 55, transStatus: 3, amount: 0, tokenId },
      ...Array.from({ length: 3 }, () => ({ transType: 56, transStatus: 3, amount: 0, tokenId })),
    ]);
    const { items } = (
      await program.call("GET /tokens/{tokenId}/events", { path: { tokenId }, query: { sort: "asc" } })
    ).body;
    expect(items).toMatchObject([
      { trigger: "approve", state: "active", by: "platform" },
      { trigger: "suspend", state: "suspended", by: "program", reason: "Phone lost" },
      { trigger: "resume", state: "active", by: "program" },
      { trigger: "delete", state: "deleted", by: "program" },
    ]);
  });

  it("happen once, of several at once", async () => {
    const { request, suspend, records, cardId } = await givenTokens();
    const { tokenId } = await request(cardId);
    const statuses = (await Promise.all([1, 2, 3].map(() => suspend(tokenId)))).map(({ status }) => status);
    expect(statuses.toSorted()).toEqual([200, 409, 409]);
    expect(await records(cardId, { transType: "56" })).toHaveLength(1);
  });

  it("by a wallet that repeats them change nothing; the wallet resumes what the Program suspended", async () => {
    const { request, walletEvent, suspend, records, cardId } = await givenTokens();
    const { tokenId } = await request(cardId);
    for (const _ of [1, 2])
      expect((await walletEvent(tokenId, "suspend")).body.data).toMatchObject({ state: "suspended" });
    expect(await records(cardId, { transType: "56" })).toHaveLength(1);
    expect((await walletEvent(tokenId, "resume")).body.data).toMatchObject({ state: "active" });
    await suspend(tokenId);
    expect((await walletEvent(tokenId, "suspend")).status).toBe(409);
    expect((await walletEvent(tokenId, "resume")).body.data).toMatchObject({ state: "active" });
    for (const _ of [1, 2])
      expect((await walletEvent(tokenId, "delete")).body.data).toMatchObject({ state: "deleted" });
    expect((await walletEvent(tokenId, "resume")).status).toBe(409);
  });

  it("end with the Card, which is closed", async () => {
    const { program, request, view, suspend, records, cardId } = await givenTokens();
    const [one, other] = [await request(cardId), await request(cardId)];
    await suspend(other.tokenId);
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "step_up" } });
    const third = await request(cardId);
    await program.call("POST /cards/{cardId}/close", { path: { cardId }, body: {} });
    await sweepDeadlines();
    for (const { tokenId } of [one, other, third]) expect((await view(tokenId)).state).toBe("deleted");
    expect(await records(cardId, { transType: "56" })).toHaveLength(4);
  });
});

describe("a token that is verified", () => {
  const given = async () => {
    const calls = await givenTokens({ otherwise: "step_up" });
    const subscription = await calls.subscribe({ cardId: calls.cardId });
    const { tokenId } = await calls.request(calls.cardId);
    return { ...calls, subscription, tokenId, code: (await calls.passcode(subscription)).code as string };
  };

  it("is active after the right passcode", async () => {
    const { enter, view, records, passcode, subscription, tokenId, code, cardId } = await given();
    expect(code).toMatch(/^\d{6}$/);
    expect(await enter(tokenId, wrong(code))).toMatchObject({
      status: 422,
      body: { errors: [{ path: "body.code", code: "wrong_code" }] },
    });
    expect((await view(tokenId)).state).toBe("verifying");
    expect((await enter(tokenId, code)).body.data).toMatchObject({ tokenId, state: "active" });
    expect((await enter(tokenId, code)).status).toBe(409);
    expect(await passcode(subscription)).toMatchObject({ status: "consumed" });
    expect((await records(cardId)).map(({ transType, transStatus }) => [transType, transStatus])).toEqual([
      [56, 3],
      [55, 3],
    ]);
  });

  it("is declined by the fifth wrong passcode, also at once", async () => {
    const { enter, view, records, passcode, subscription, tokenId, code, cardId } = await given();
    await Promise.all(Array.from({ length: 5 }, () => enter(tokenId, wrong(code))));
    expect(await view(tokenId)).toMatchObject({ state: "declined", declineReason: "VERIFICATION_FAILED" });
    expect((await enter(tokenId, code)).status).toBe(409);
    expect(await passcode(subscription)).toMatchObject({ status: "expired" });
    expect(await records(cardId, { transType: "55" })).toMatchObject([
      { transStatus: 4, declineReason: "VERIFICATION_FAILED" },
    ]);
    expect(await records(cardId, { transType: "56" })).toHaveLength(1);
  });

  it("is decided by the Tenant's app in its place", async () => {
    const { program, verify, view, request, enter, tokenId, code, cardId } = await given();
    expect((await verify(tokenId, "approved")).body.data).toMatchObject({ state: "active" });
    expect((await verify(tokenId, "approved")).status).toBe(409);
    expect((await enter(tokenId, code)).status).toBe(409);
    const { tokenId: other } = await request(cardId);
    expect((await verify(other, "declined")).body.data).toMatchObject({ state: "declined" });
    expect((await view(other)).declineReason).toBe("VERIFICATION_FAILED");
    const { items } = (
      await program.call("GET /tokens/{tokenId}/events", { path: { tokenId }, query: { sort: "asc" } })
    ).body;
    expect(items).toMatchObject([{ trigger: "step_up" }, { trigger: "confirm", by: "program" }]);
  });

  it("is 409 where the outcome came between the reads of the token and of its passcode", async () => {
    const { program, verify, tokenId, code, cardId } = await given();
    const { programId } = program;
    const token = await tokens.at(programId, tokenId).require();
    expect((await verify(tokenId, "approved")).status).toBe(200);
    const challenge = await challenges.at(programId, token.challengeId ?? "").require();
    const event = {
      kind: "token_passcode",
      eventId: newId("event"),
      programId,
      cardId,
      tokenId,
      code,
    } as const;
    const found = { token, challenge, requested: undefined };
    expect(entered.decide(event, found, new Date())).toEqual({ rejected: "ILLEGAL_TRANSITION" });
  });

  it("is declined after ten minutes, and nothing decides it later", async () => {
    const { enter, verify, view, records, tokenId, code, cardId } = await given();
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    expect((await enter(tokenId, code)).body.errors).toMatchObject([{ code: "expired" }]);
    expect((await verify(tokenId, "approved")).status).toBe(409);
    await sweepDeadlines();
    expect(await view(tokenId)).toMatchObject({ state: "declined", declineReason: "VERIFICATION_EXPIRED" });
    expect(await records(cardId, { transType: "55" })).toMatchObject([{ transStatus: 4 }]);
    await sweepDeadlines();
    expect(await records(cardId, { transType: "56" })).toHaveLength(1);
  });

  it("is deleted, and its passcode with it", async () => {
    const { remove, passcode, records, subscription, tokenId, cardId } = await given();
    expect((await remove(tokenId)).body.data).toMatchObject({ state: "deleted" });
    expect(await passcode(subscription)).toMatchObject({ status: "expired" });
    expect(await records(cardId, { transType: "55" })).toMatchObject([{ transStatus: 4 }]);
  });

  it("has a passcode of its own beside those of others; its code is in one item", async () => {
    const { program, request, subscription, tokenId, code, cardId } = await given();
    const { tokenId: other } = await request(cardId);
    const { items } = (await program.call("GET /otp/challenges/{token}", { path: { token: subscription } }))
      .body;
    expect(items.map((one: { tokenId: string }) => one.tokenId).toSorted()).toEqual(
      [tokenId, other].toSorted(),
    );
    const stored = (await storedItems(program.programId)).filter((item) =>
      JSON.stringify(item).includes(`"${code}"`),
    );
    expect(stored.map(({ sk }) => sk)).toEqual(["CHALLENGE"]);
  });
});

describe("the rules", () => {
  it("ask for a passcode before there are any, and are replaced as a whole", async () => {
    const program = await givenProgram();
    expect((await program.call("GET /token-rules")).body.data).toEqual({ rules: [], otherwise: "step_up" });
    const rules = [rule({ wallet: ["apple_pay"] }, "approve")];
    expect((await program.call("PUT /token-rules", { body: { rules } })).body.data).toEqual({
      rules,
      otherwise: "step_up",
    });
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "decline" } });
    expect((await program.call("GET /token-rules")).body.data).toEqual({ rules: [], otherwise: "decline" });
  });
});
