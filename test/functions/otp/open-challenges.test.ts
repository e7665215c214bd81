import { afterEach, describe, expect, it, vi } from "vitest";
import type { GivenProgram } from "../../harness/given-cards.ts";
import { storedItems } from "../../harness/stored.ts";
import { givenSecureCard, retrieve, subscribe, unsubscribe } from "./given-listeners.ts";

afterEach(() => void vi.useRealTimers());
const pass = (milliseconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });

async function given() {
  const { program, cardId, cardholderId } = await givenSecureCard();
  const tokenOf = async (body: object) => (await subscribe(program, body)).body.data.token as string;
  return { program, cardId, cardholderId, tokenOf, ...callsOf(program) };
}

function callsOf(program: GivenProgram) {
  const open = (token: string, query = {}) =>
    program.call("GET /otp/challenges/{token}", { path: { token }, query });
  return {
    open,
    openIds: async (token: string): Promise<string[]> =>
      (await open(token)).body.items.map(({ challengeId }: { challengeId: string }) => challengeId),
    codeOf: async (token: string, challengeId: string): Promise<string> =>
      (await open(token)).body.items.find((one: { challengeId: string }) => one.challengeId === challengeId)
        ?.code,
    current: async (token: string) => (await retrieve(program, token)).body.data,
    challenge: async (cardId: string, body: object = {}) => {
      const route = "POST /cards/{cardId}/three-ds-challenges";
      const { status, body: answer } = await program.call(route, { path: { cardId }, body });
      expect(status).toBe(200);
      const { authenticationId: _, ...made } = answer.data;
      return made as { challengeId: string; expiresAt: string };
    },
    complete: (challengeId: string, code: string) =>
      program.call("POST /three-ds-challenges/{challengeId}/complete", {
        path: { challengeId },
        body: { code },
      }),
  };
}

describe("two purchases at once", () => {
  it("are all kept if they are opened at the same moment", async () => {
    const { tokenOf, cardId, challenge, openIds } = await given();
    const token = await tokenOf({ cardId });
    const opened = await Promise.all(Array.from({ length: 6 }, () => challenge(cardId)));
    expect((await openIds(token)).toSorted()).toEqual(
      opened.map(({ challengeId }) => challengeId).toSorted(),
    );
  });

  it("leave as each expires or is void, whichever was opened first", async () => {
    const { tokenOf, cardId, challenge, openIds, codeOf, complete, current } = await given();
    const token = await tokenOf({ cardId });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2027, 0, 1) });
    const long = await challenge(cardId, { expiresInSeconds: 600 });
    pass(1_000);
    const guessed = await challenge(cardId, { expiresInSeconds: 600 });
    pass(1_000);
    const short = await challenge(cardId, { expiresInSeconds: 60 });
    expect(await openIds(token)).toEqual([short, guessed, long].map(({ challengeId }) => challengeId));
    const code = await codeOf(token, guessed.challengeId);
    for (let guess = 0; guess < 5; guess += 1) {
      await complete(guessed.challengeId, code === "000000" ? "000001" : "000000");
    }
    pass(60_000);
    expect(await openIds(token)).toEqual([long.challengeId]);
    expect(await current(token)).toMatchObject({ status: "received", expiresAt: long.expiresAt });
    pass(600_000);
    expect(await openIds(token)).toEqual([]);
    expect(await current(token)).toEqual({ status: "expired", expiresAt: short.expiresAt });
  });
});

describe("a full subscription", () => {
  it("keeps an open challenge however many others were answered since", async () => {
    const { program, tokenOf, cardId, challenge, openIds, codeOf, complete } = await given();
    const tokens = [await tokenOf({ cardId }), await tokenOf({ cardId })];
    const [token = ""] = tokens;
    const first = await challenge(cardId, { expiresInSeconds: 3_600 });
    for (let count = 0; count < 45; count += 1) {
      const { challengeId } = await challenge(cardId);
      await complete(challengeId, await codeOf(token, challengeId));
    }
    const last = await challenge(cardId);
    for (const one of tokens) expect(await openIds(one)).toEqual([last.challengeId, first.challengeId]);
    for (const { challengeIds } of await listenersOf(program)) {
      expect((challengeIds as Set<string>).size).toBeLessThanOrEqual(20);
    }
  });

  it("gives up the oldest of more than 20 open challenges, also of simultaneous ones", async () => {
    const { tokenOf, cardId, challenge, openIds } = await given();
    const token = await tokenOf({ cardId });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2027, 0, 1) });
    const oldest = await challenge(cardId);
    pass(1_000);
    const others: string[] = [];
    for (let count = 0; count < 20; count += 1) others.push((await challenge(cardId)).challengeId);
    expect(new Set(await openIds(token))).toEqual(new Set(others));
    expect(others).not.toContain(oldest.challengeId);
    pass(1_000);
    const newest = await Promise.all(Array.from({ length: 3 }, () => challenge(cardId)));
    const ids = await openIds(token);
    for (const { challengeId } of newest) expect(ids).toContain(challengeId);
    expect(ids.length).toBeLessThanOrEqual(20);
  });

  it("that is removed meanwhile does not come back", async () => {
    const { program, tokenOf, cardId, challenge, open } = await given();
    const token = await tokenOf({ cardId });
    for (let count = 0; count < 20; count += 1) await challenge(cardId);
    await Promise.all([challenge(cardId), unsubscribe(program, token), challenge(cardId)]);
    expect((await open(token)).status).toBe(404);
    expect(await listenersOf(program)).toEqual([]);
  });
});

async function listenersOf({ programId }: GivenProgram) {
  return (await storedItems(programId)).filter(({ sk }) => sk === "OTP_LISTENER");
}
