import { afterEach, describe, expect, it, vi } from "vitest";
import { earliestId } from "../../../shared/platform/id.ts";
import { writeBatch } from "../../../shared/platform/table/batch.ts";
import { interrupt } from "../../harness/faults.ts";
import { allStoredItems, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { callsOf as callsOfTokens } from "../tokens/given-tokens.ts";
import { givenAuthentications, wrong } from "./given-authentications.ts";

afterEach(() => void vi.useRealTimers());
const everything = (then: string) => ({ rules: [], otherwise: then });

describe("an authentication that is decided at once", () => {
  it("gives the CAVV to the merchant's side alone, and stores it nowhere", async () => {
    const { program, request, view, list, putRules, cardId } = await givenAuthentications();
    await putRules(everything("approve"));
    const { authenticationId, cavv = "none" } = await request(cardId);
    const path = { authenticationId };
    const again = await program.call("GET /authentications/{authenticationId}/result", { path });
    expect(again.body.data.cavv).toBe(cavv);
    const shown = [await view(authenticationId), await list(), await allStoredItems()];
    expect(JSON.stringify(shown)).not.toContain(cavv);
  });

  /** A Card whose authentications and tokens are approved, and an active token of it. */
  async function givenToken() {
    const given = await givenAuthentications();
    await given.putRules(everything("approve"));
    const tokens = callsOfTokens(given.program);
    await given.program.call("PUT /token-rules", { body: everything("approve") });
    const { tokenId } = await tokens.request(given.cardId);
    return { ...given, tokens, tokenId };
  }

  it("is rejected for a token that is suspended between its reads and its commit", async () => {
    const { request, view, tokens, tokenId, cardId } = await givenToken();
    using _ = interrupt(
      (command, input) => command.startsWith("TransactWrite") && input.includes("AUTHENTICATION"),
      () => tokens.suspend(tokenId),
    );
    const { authenticationId, state } = await request(cardId, { tokenId });
    expect([state, (await view(authenticationId)).reason]).toEqual(["rejected", "TOKEN_NOT_ACTIVE"]);
  });
});

it("those of a Card are read of the time span, and of more than 50,000 422 asks for a shorter one", async () => {
  const { program, request, cardId } = await givenAuthentications();
  const { authenticationId } = await request(cardId);
  const since = Date.parse("2025-01-01T00:00:00.000Z");
  const pointers = Array.from({ length: 50_000 }, (_, index) => {
    const at = new Date(since + index);
    const id = `${earliestId("authentication", at)}${"0".repeat(16)}`;
    const key = { pk: `${program.programId}#${cardId}`, sk: `AUTHENTICATION#${id}` };
    return { put: { ...key, authenticationId: id } };
  });
  await writeBatch(pointers);
  const call = (query: Record<string, string>) => program.call("GET /authentications", { query });
  const { status, body } = await call({ cardId });
  expect([status, body.errors]).toMatchObject([422, [{ path: "query.after", code: "too_many_records" }]]);
  const { body: page } = await call({ cardId, after: String(since / 1000 + 86_400) });
  expect([page.total, page.items[0].authenticationId]).toEqual([1, authenticationId]);
}, 60_000);

describe("a challenge", () => {
  it("fails with the fifth wrong code, also of many at once", async () => {
    const { request, view, subscribe, codeOf, enter, decide, cardId } = await givenAuthentications();
    const token = await subscribe(cardId);
    const { authenticationId } = await request(cardId);
    const code = await codeOf(token);
    await Promise.all(Array.from({ length: 7 }, () => enter(authenticationId, wrong(code))));
    expect(await view(authenticationId)).toMatchObject({
      ...{ state: "failed", decidedBy: "cardholder", reason: "ATTEMPTS_EXHAUSTED", eci: "07" },
    });
    expect((await enter(authenticationId, code)).status).toBe(409);
    expect((await decide(authenticationId, "approved")).status).toBe(409);
  });

  it("of a passcode can be decided by the Program; of both at once, one decides", async () => {
    const { program, request, view, subscribe, codeOf, enter, decide, cardId } = await givenAuthentications();
    const token = await subscribe(cardId);
    for (let round = 0; round < 5; round += 1) {
      const { authenticationId } = await request(cardId);
      const code = await codeOf(token);
      const [entered, outcome] = await Promise.all([
        enter(authenticationId, code),
        decide(authenticationId, "declined"),
      ]);
      expect([entered.status, outcome.status].toSorted()).toEqual([200, 409]);
      const state = entered.status === 200 ? "authenticated" : "failed";
      expect((await view(authenticationId)).state).toBe(state);
    }
    const { authenticationId } = await request(cardId);
    await decide(authenticationId, "approved");
    const stored = (await storedItems(program.programId)).filter(({ sk }) => sk === "CHALLENGE");
    expect(stored.every(({ code }) => code === undefined)).toBe(true);
    expect(stored.length).toBe(6);
  });

  describe("of which passcode, outcome and time come together", () => {
    const commits = (command: string) => command.startsWith("TransactWrite");
    async function givenLast() {
      const given = await givenAuthentications();
      const { program, request, subscribe, codeOf, enter, decide, view, cardId } = given;
      const token = await subscribe(cardId);
      const { authenticationId, challenge } = await request(cardId);
      const code = await codeOf(token);
      const end = Date.parse(challenge?.expiresAt ?? "");
      const at = (offset: number) => vi.useFakeTimers({ toFake: ["Date"], now: end + offset });
      const expire = async () => {
        at(1);
        await sweepDeadlines();
      };
      const state = async () => (await view(authenticationId)).state as string;
      const codes = async () =>
        (await storedItems(program.programId))
          .filter(({ sk }) => sk === "CHALLENGE")
          .map((stored) => stored.code);
      const acts = {
        passcode: () => enter(authenticationId, code),
        "wrong passcode": () => enter(authenticationId, wrong(code)),
        approved: () => decide(authenticationId, "approved"),
        declined: () => decide(authenticationId, "declined"),
      };
      return { at, expire, state, codes, acts };
    }

    it.each(["passcode", "approved", "declined"] as const)(
      "%s, with the end between its reads and its commit: it has expired, and is 409",
      async (name) => {
        const { at, expire, state, codes, acts } = await givenLast();
        at(-1);
        using _ = interrupt(commits, expire);
        expect((await acts[name]()).status).toBe(409);
        expect([await state(), await codes()]).toEqual(["expired", [undefined]]);
        await sweepDeadlines();
        expect(await state()).toBe("expired");
      },
    );

    it.each([
      ["passcode", "authenticated"],
      ["approved", "authenticated"],
      ["declined", "failed"],
    ] as const)("%s within the end, by a clock that is behind: it decides", async (name, decided) => {
      const { at, expire, state, codes, acts } = await givenLast();
      let status = 0;
      {
        using _ = interrupt(
          (command, input) => commits(command) && input.includes("expired"),
          async () => {
            at(-1);
            status = (await acts[name]()).status;
          },
        );
        await expire();
      }
      expect([status, await state(), await codes()]).toEqual([200, decided, [undefined]]);
      await expire();
      expect(await state()).toBe(decided);
    });

    it("all at once, the second before: one decides, and the fifth wrong code of all is counted", async () => {
      for (let round = 0; round < 3; round += 1) {
        const { at, expire, state, codes, acts } = await givenLast();
        at(-1_000);
        for (let tries = 0; tries < 4; tries += 1) expect((await acts["wrong passcode"]()).status).toBe(422);
        const answers = await Promise.all([
          acts["wrong passcode"](),
          acts.passcode(),
          acts.approved(),
          expire(),
        ]);
        const made = answers.map((answer) => answer?.status);
        const ended = await state();
        expect(["authenticated", "failed", "expired"]).toContain(ended);
        const isAuthenticated = made[1] === 200 || made[2] === 200;
        expect(ended === "authenticated").toBe(isAuthenticated);
        expect(made.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
        expect(await codes()).toEqual([undefined]);
        for (const act of Object.values(acts)) expect((await act()).status).toBe(409);
        expect(await state()).toBe(ended);
        vi.useRealTimers();
      }
    });
  });
});

describe("the rules of authentications", () => {
  it("are challenged by default, replaced as a whole, and audited", async () => {
    const { program, putRules } = await givenAuthentications();
    const read = async () => (await program.call("GET /authentication-rules")).body.data;
    expect(await read()).toEqual({ rules: [], otherwise: "challenge" });
    const body = { rules: [{ when: { amountUpTo: 3_000 }, then: "approve" }], otherwise: "decline" };
    expect((await putRules(body)).body.data).toEqual(body);
    expect(await read()).toEqual(body);
    await Promise.all([putRules(everything("approve")), putRules(everything("decline"))]);
    const audited = (await allStoredItems()).filter(
      ({ action, programId }) => action === "authentication-rules.put" && programId === program.programId,
    );
    expect(audited.length).toBe(3);
    expect(audited).toContainEqual(expect.objectContaining({ before: null, after: body }));
  });
});
