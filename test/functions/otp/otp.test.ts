import { afterEach, describe, expect, it, vi } from "vitest";
import { listenerUpdate } from "../../../shared/passcodes/passcode.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";

const challengeRoute = "POST /cards/{cardId}/three-ds-challenges";
const completeRoute = "POST /three-ds-challenges/{challengeId}/complete";

async function given() {
  const program = await givenProgram({ settings: { threeDSecure: true } });
  const { cardId, cardholderId } = await givenCard(program);
  return { program, cardId, cardholderId, ...callsOf(program) };
}

function callsOf(program: GivenProgram) {
  return {
    subscribe: async (body: object) =>
      (await program.call("POST /otp/listeners", { body })).body.data.token as string,
    retrieve: async (token: string) =>
      (await program.call("GET /otp/{token}", { path: { token } })).body.data,
    challenge: async (cardId: string, body: object = {}) =>
      (await program.call(challengeRoute, { path: { cardId }, body })).body.data as {
        challengeId: string;
        expiresAt: string;
      },
    complete: (challengeId: string, code: string) =>
      program.call(completeRoute, { path: { challengeId }, body: { code } }),
  };
}

/** A code that is not this one. */
const wrong = (code: string) => (code === "000000" ? "000001" : "000000");

afterEach(() => void vi.useRealTimers());
const pass = (milliseconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });

describe("a one-time passcode", () => {
  it("is pending, received, consumed, and received again with the next challenge", async () => {
    const { subscribe, retrieve, challenge, complete, cardId } = await given();
    const token = await subscribe({ cardId });
    expect(await retrieve(token)).toEqual({ status: "pending", expiresAt: null });

    const { challengeId, expiresAt } = await challenge(cardId);
    const received = await retrieve(token);
    expect(received).toEqual({ status: "received", code: expect.stringMatching(/^\d{6}$/), expiresAt });
    expect(await complete(challengeId, received.code)).toMatchObject({ status: 200, body: { data: {} } });
    expect(await retrieve(token)).toEqual({ status: "consumed", expiresAt });

    const next = await challenge(cardId);
    expect(next.challengeId).not.toBe(challengeId);
    expect(await retrieve(token)).toMatchObject({ status: "received", expiresAt: next.expiresAt });
  });

  it("expires on time without a sweepDeadlines, and is rejected from then on", async () => {
    const { subscribe, retrieve, challenge, complete, cardId } = await given();
    const token = await subscribe({ cardId });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2027, 0, 1) });
    const { challengeId, expiresAt } = await challenge(cardId, { expiresInSeconds: 60 });
    expect(expiresAt).toBe("2027-01-01T00:01:00.000Z");
    const { code } = await retrieve(token);
    pass(59_999);
    expect(await retrieve(token)).toMatchObject({ status: "received", code });
    pass(1);
    expect(await retrieve(token)).toEqual({ status: "expired", expiresAt });
    expect(await complete(challengeId, code)).toMatchObject({
      status: 422,
      body: { code: "VALIDATION_FAILED", errors: [{ path: "body.code", code: "expired" }] },
    });
    expect((await challenge(cardId)).expiresAt).toBe("2027-01-01T00:06:00.000Z");
    expect(await retrieve(token)).toMatchObject({ status: "received" });
  });

  it("is announced to every subscription of the card and of its cardholder, and to no other", async () => {
    const { program, subscribe, retrieve, challenge, complete, cardId, cardholderId } = await given();
    const { cardId: sibling } = await givenCard(program, { cardholderId });
    const told = await Promise.all(
      [{ cardId }, { cardId }, { cardholderId }, { cardholderId }].map((body) => subscribe(body)),
    );
    const other = await subscribe({ cardId: sibling });
    const { challengeId } = await challenge(cardId);
    const codes = await Promise.all(told.map(async (token) => (await retrieve(token)).code));
    expect(new Set(codes).size).toBe(1);
    expect(await retrieve(other)).toMatchObject({ status: "pending" });
    await complete(challengeId, codes[0]);
    for (const token of told) expect((await retrieve(token)).status).toBe("consumed");
  });

  it("of another Card of the Cardholder does not replace that of the first", async () => {
    const { program, subscribe, retrieve, challenge, complete, cardId, cardholderId } = await given();
    const { cardId: sibling } = await givenCard(program, { cardholderId });
    const [onCard, legacy] = [await subscribe({ cardId }), await subscribe({ cardholderId })];
    const first = await challenge(cardId);
    const { code } = await retrieve(onCard);
    await challenge(sibling);
    expect((await retrieve(onCard)).code).toBe(code);
    expect((await complete(first.challengeId, code)).status).toBe(200);
    expect((await retrieve(onCard)).status).toBe("consumed");
    expect((await retrieve(legacy)).status).toBe("received");
  });

  it("does not exist in a Program without 3-D Secure", async () => {
    const program = await givenProgram();
    const { cardId } = await givenCard(program);
    const { subscribe, retrieve } = callsOf(program);
    const token = await subscribe({ cardId });
    expect(await program.call(challengeRoute, { path: { cardId }, body: {} })).toMatchObject({
      status: 409,
      body: { code: "ILLEGAL_TRANSITION" },
    });
    expect(await retrieve(token)).toEqual({ status: "pending", expiresAt: null });
  });
});

describe("the code of a challenge", () => {
  it("is void after five wrong guesses, even simultaneous ones", async () => {
    const { subscribe, retrieve, challenge, complete, cardId } = await given();
    const token = await subscribe({ cardId });
    const { challengeId, expiresAt } = await challenge(cardId);
    const { code } = await retrieve(token);
    const answers = await Promise.all(Array.from({ length: 12 }, () => complete(challengeId, wrong(code))));
    const reasons = answers.map(({ status, body }) => `${status} ${body.errors[0].code}`).toSorted();
    expect(reasons).toEqual([...Array(7).fill("422 attempts_exhausted"), ...Array(5).fill("422 wrong_code")]);
    expect(await complete(challengeId, code)).toMatchObject({
      status: 422,
      body: { errors: [{ code: "attempts_exhausted" }] },
    });
    expect(await retrieve(token)).toEqual({ status: "expired", expiresAt });
  });

  it("is accepted after four wrong guesses", async () => {
    const { subscribe, retrieve, challenge, complete, cardId } = await given();
    const token = await subscribe({ cardId });
    const { challengeId } = await challenge(cardId);
    const { code } = await retrieve(token);
    for (const guess of [wrong(code), "", "12345", `${code} `, "١٢٣٤٥٦"]) {
      expect((await complete(challengeId, guess)).status).toBe(422);
    }
    expect((await complete(challengeId, code)).status).toBe(200);
  });

  it("is used once, even by many simultaneous answers", async () => {
    const { subscribe, retrieve, challenge, complete, cardId } = await given();
    const token = await subscribe({ cardId });
    const { challengeId } = await challenge(cardId);
    const { code } = await retrieve(token);
    const answers = await Promise.all(Array.from({ length: 8 }, () => complete(challengeId, code)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(7).fill(409)]);
  });

  it("is stored in one item, and in none after it is used, void or expired", async () => {
    const { program, subscribe, retrieve, challenge, complete, cardId } = await given();
    const tokens = [await subscribe({ cardId }), await subscribe({ cardId })];
    const placesOf = async (code: string) =>
      (await storedItems(program.programId)).filter((item) => JSON.stringify(item).includes(`"${code}"`));
    const codeOf = async () => (await retrieve(tokens[0] ?? "")).code as string;

    const used = await challenge(cardId);
    const usedCode = await codeOf();
    expect((await placesOf(usedCode)).map(({ sk }) => sk)).toEqual(["CHALLENGE"]);
    await complete(used.challengeId, usedCode);
    expect(await placesOf(usedCode)).toEqual([]);

    const void_ = await challenge(cardId);
    const voidCode = await codeOf();
    for (let guess = 0; guess < 5; guess += 1) await complete(void_.challengeId, wrong(voidCode));
    expect(await placesOf(voidCode)).toEqual([]);

    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2028, 0, 1) });
    await challenge(cardId, { expiresInSeconds: 30 });
    const overCode = await codeOf();
    pass(30_000);
    await sweepDeadlines();
    expect(await placesOf(overCode)).toEqual([]);
    expect((await retrieve(tokens[0] ?? "")).status).toBe("expired");
    const rows = (await storedItems(program.programId)).filter(({ sk }) => sk === "DEADLINE");
    expect(rows).toEqual([]);
  });
});

describe("the processor's own challenge", () => {
  it("is applied once if it is repeated, and so is its completion", async () => {
    const { program, subscribe, retrieve, cardId } = await given();
    const { programId } = program;
    const token = await subscribe({ cardId });
    const event = {
      kind: "three_ds_challenge",
      eventId: "c-1",
      programId,
      cardId,
      expiresInSeconds: 300,
    } as const;
    const results = await Promise.all([applyEvent(event), applyEvent(event), applyEvent(event)]);
    expect(new Set(results.map((result) => JSON.stringify(result))).size).toBe(1);
    const [result] = results;
    if (result?.outcome !== "applied" || !result.challengeId) throw new Error("no challenge");
    const { code } = await retrieve(token);
    const { challengeId } = result;
    const answer = { kind: "three_ds_completion", eventId: "c-2", programId, challengeId } as const;
    expect(await applyEvent({ ...answer, code: wrong(code) })).toMatchObject({ authenticated: false });
    // The same event again is the first one, whatever it holds.
    expect(await applyEvent({ ...answer, code })).toMatchObject({ authenticated: false });
    expect(await applyEvent({ ...answer, eventId: "c-3", code })).toMatchObject({ authenticated: true });
    expect(await applyEvent({ ...answer, eventId: "c-3", code })).toMatchObject({ authenticated: true });
    expect(await applyEvent({ ...answer, eventId: "c-4", code })).toEqual({
      outcome: "refused",
      code: "ILLEGAL_TRANSITION",
    });
  });

  it("does not bring back a subscription that has ended meanwhile", async () => {
    const [programId, challengeId] = [newId("program"), newId("challenge")];
    expect(await transact([listenerUpdate(programId, "ended", challengeId)])).toMatchObject({
      committed: false,
    });
  });

  it("is rejected for a card that is not Active", async () => {
    const { program, challenge, cardId } = await given();
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 2 } });
    expect((await program.call(challengeRoute, { path: { cardId }, body: {} })).status).toBe(409);
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 1 } });
    expect(await challenge(cardId)).toHaveProperty("challengeId");
  });
});
