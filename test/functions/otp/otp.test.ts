import { afterEach, describe, expect, it, vi } from "vitest";
import { listenerUpdate } from "../../../shared/passcodes/passcode.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
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
  it("does not bring back a subscription that has ended meanwhile", async () => {
    const [programId, challengeId] = [newId("program"), newId("challenge")];
    expect(await transact([listenerUpdate(programId, "ended", challengeId)])).toMatchObject({
      committed: false,
    });
  });
});
