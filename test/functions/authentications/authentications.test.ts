import { afterEach, describe, expect, it, vi } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { applyEvent } from "../../harness/apply-event.ts";
import { interrupt } from "../../harness/faults.ts";
import { givenCard, givenCardInStatus, givenProgram } from "../../harness/given-cards.ts";
import { allStoredItems, storedItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { callsOf as callsOfTokens } from "../tokens/given-tokens.ts";
import { callsOf, givenAuthentications, wrong } from "./given-authentications.ts";

afterEach(() => void vi.useRealTimers());
const pass = (milliseconds: number) => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + milliseconds });
const minutes = 60_000;
const everything = (then: string) => ({ rules: [], otherwise: then });

describe("an authentication that is decided at once", () => {
  it("says state, ECI and liability by the rule and the exemptions", async () => {
    const { request, view, putRules, cardId } = await givenAuthentications();
    await putRules(everything("approve"));
    const frictionless = await request(cardId);
    expect(frictionless).toMatchObject({ state: "authenticated", eci: "05", cavv: expect.any(String) });
    expect(await view(frictionless.authenticationId)).toMatchObject({
      ...{ cardId, state: "authenticated", eci: "05", liabilityShift: true, decidedBy: "rule" },
      ...{ amount: 4_999, merchant: { name: "Web Shop" }, channel: "browser", exemptions: [] },
      verification: { addressLine: "not_present", postalCode: "not_present" },
      dateDecided: expect.any(String),
    });
    const exempted = await request(cardId, { exemptions: ["low_value"] });
    expect(await view(exempted.authenticationId)).toMatchObject({
      ...{ state: "exempted", eci: "07", liabilityShift: false, exemptions: ["low_value"] },
    });
    await putRules(everything("decline"));
    const rejected = await request(cardId);
    expect(rejected).toMatchObject({ state: "rejected", eci: "07" });
    expect(rejected.challenge).toBeUndefined();
    expect(rejected.cavv).toBeUndefined();
  });

  it("has the ECI of Mastercard where the number is Mastercard's", async () => {
    const program = await givenProgram({ settings: { threeDSecure: true, cardBin: "510000" } });
    const { cardId } = await givenCard(program);
    const { request, putRules } = callsOf(program);
    await putRules(everything("approve"));
    expect(await request(cardId)).toMatchObject({ eci: "02" });
    expect(await request(cardId, { exemptions: ["recurring"] })).toMatchObject({ eci: "06" });
    await putRules(everything("decline"));
    expect(await request(cardId)).toMatchObject({ eci: "00" });
  });

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

  it("names the plastic and the token that are used, which must be the Card's", async () => {
    const { program, request, view, cardId } = await givenAuthentications();
    const shown = (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data;
    expect(await view((await request(cardId)).authenticationId)).toMatchObject({
      plasticId: shown.plasticId,
    });
    const body = { wallet: "apple_pay" };
    const asked = await program.call("POST /cards/{cardId}/token-requests", { path: { cardId }, body });
    const { tokenId } = asked.body.data;
    const named = await request(cardId, { tokenId, plasticId: shown.plasticId });
    expect(await view(named.authenticationId)).toMatchObject({ tokenId, plasticId: shown.plasticId });
    const other = await givenCard(program);
    await expect(request(other.cardId, { tokenId })).rejects.toThrow("NOT_FOUND");
    await expect(request(other.cardId, { plasticId: shown.plasticId })).rejects.toThrow("NOT_FOUND");
  });

  it("is refused without 3-D Secure, and rejected with its reason for a Card that could not pay", async () => {
    const without = await givenProgram();
    const path = { cardId: (await givenCard(without)).cardId };
    expect(
      await without.call("POST /cards/{cardId}/authentications", { path, body: { amount: 1 } }),
    ).toMatchObject({ status: 409, body: { code: "ILLEGAL_TRANSITION" } });

    const { program, request, view, putRules } = await givenAuthentications();
    await putRules(everything("approve"));
    const cardId = await givenCardInStatus(program, { issuerCardStatus: 2 });
    const rejected = await request(cardId);
    expect(await view(rejected.authenticationId)).toMatchObject({
      ...{ state: "rejected", decidedBy: "platform", reason: "CARD_ON_HOLD" },
    });
  });

  it("is rejected for a plastic that nothing can be paid with, unless a token pays", async () => {
    const { program, request, view, putRules, cardId } = await givenAuthentications();
    await putRules(everything("approve"));
    const path = { cardId };
    const { plasticId } = (await program.call("GET /cards/{cardId}", { path })).body.data;
    const replace = async (reason: string) =>
      (await program.call("POST /cards/{cardId}/replace", { path, body: { reason } })).body.data.plasticId;
    const why = async (body: object = {}) => {
      const { authenticationId } = await request(cardId, body);
      const { state, reason } = await view(authenticationId);
      return reason ?? state;
    };
    const renewed = await replace("damaged");
    expect([await why({ plasticId }), await why({ plasticId: renewed }), await why()]).toEqual([
      "PLASTIC_REPLACED",
      "authenticated",
      "authenticated",
    ]);
    expect(await why({ plasticId, exemptions: ["recurring"] })).toBe("exempted");
    await replace("stolen");
    expect(await why({ plasticId: renewed })).toBe("PLASTIC_STOPPED");
    expect(await why({ plasticId: renewed, exemptions: ["recurring"] })).toBe("PLASTIC_STOPPED");
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const body = { wallet: "apple_pay" };
    const asked = await program.call("POST /cards/{cardId}/token-requests", { path, body });
    const { tokenId } = asked.body.data;
    expect(await why({ plasticId: renewed, tokenId })).toBe("authenticated");
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

  it("is rejected for a token that is not active, as its purchase is declined", async () => {
    const { program, request, view, tokens, tokenId, cardId } = await givenToken();
    const authenticate = async (of: string) => {
      const made = await request(cardId, { tokenId: of });
      const { state, reason, decidedBy } = await view(made.authenticationId);
      return [made.state, state, reason, made.cavv === undefined ? decidedBy : "proved"];
    };
    const proved = ["authenticated", "authenticated", undefined, "proved"];
    const rejected = ["rejected", "rejected", "TOKEN_NOT_ACTIVE", "platform"];
    expect(await authenticate(tokenId)).toEqual(proved);
    await tokens.suspend(tokenId);
    expect(await authenticate(tokenId)).toEqual(rejected);
    await tokens.resume(tokenId);
    expect(await authenticate(tokenId)).toEqual(proved);
    await tokens.remove(tokenId);
    expect(await authenticate(tokenId)).toEqual(rejected);
    await program.call("PUT /token-rules", { body: everything("step_up") });
    expect(await authenticate((await tokens.request(cardId)).tokenId)).toEqual(rejected);
    await expect(request(cardId, { tokenId: newId("token") })).rejects.toThrow("NOT_FOUND");
  });

  it("has the Card's own reason before its token's", async () => {
    const { program, request, view, tokens, tokenId, cardId } = await givenToken();
    await tokens.suspend(tokenId);
    await program.call("PUT /cards/{cardId}/status", { path: { cardId }, body: { status: 2 } });
    const { authenticationId } = await request(cardId, { tokenId });
    expect((await view(authenticationId)).reason).toBe("CARD_ON_HOLD");
  });

  it("is rejected for a token that is suspended between its reads and its commit", async () => {
    const { request, view, tokens, tokenId, cardId } = await givenToken();
    using _ = interrupt(
      (command, input) => command.startsWith("TransactWrite") && input.includes("AUTHENTICATION"),
      () => tokens.suspend(tokenId),
    );
    const { authenticationId, state } = await request(cardId, { tokenId });
    expect([state, (await view(authenticationId)).reason]).toEqual(["rejected", "TOKEN_NOT_ACTIVE"]);
  });

  it("is decided by the first rule that fits", async () => {
    const { request, putRules, cardId } = await givenAuthentications();
    await putRules({
      rules: [
        { when: { country: "KP" }, then: "decline" },
        { when: { amountUpTo: 3_000, mcc: "5500-5599", channel: "app" }, then: "approve" },
        { when: { exemption: "low_value" }, then: "approve" },
        { when: { postalCode: "match" }, then: "approve" },
      ],
      otherwise: "challenge",
    });
    const stateOf = async (body: object) => (await request(cardId, body)).state;
    expect(await stateOf({ merchantCountry: "KP", exemptions: ["low_value"] })).toBe("rejected");
    const fuel = { amount: 3_000, mcc: "5541", channel: "app" };
    expect(await stateOf(fuel)).toBe("authenticated");
    expect(await stateOf({ ...fuel, amount: 3_001 })).toBe("challenged");
    expect(await stateOf({ ...fuel, mcc: "5600" })).toBe("challenged");
    expect(await stateOf({ ...fuel, channel: "browser" })).toBe("challenged");
    expect(await stateOf({ exemptions: ["trusted_merchant", "low_value"] })).toBe("exempted");
    expect(await stateOf({ billingAddress: { postalCode: "sw1y4jh" } })).toBe("authenticated");
    expect(await stateOf({ billingAddress: { postalCode: "SW1Y 4JK" } })).toBe("challenged");
  });

  it("compares the billing address with the Cardholder's", async () => {
    const { request, view, cardId } = await givenAuthentications();
    const compared = async (billingAddress: object) =>
      (await view((await request(cardId, { billingAddress })).authenticationId)).verification;
    expect(await compared({ line1: "St. James's Sq. 12" })).toEqual({
      ...{ addressLine: "match", postalCode: "not_present" },
    });
    expect(await compared({ line1: "13 St James's Square", postalCode: "SW1Y 4JH" })).toEqual({
      ...{ addressLine: "mismatch", postalCode: "match" },
    });
  });
});

describe("a challenge", () => {
  it("without a subscription is answered in the app, once", async () => {
    const { request, view, decide, enter, cardId } = await givenAuthentications();
    const { authenticationId, state, challenge, eci } = await request(cardId);
    expect({ state, eci, method: challenge?.method }).toEqual({ state: "challenged", method: "app" });
    expect(await enter(authenticationId, "123456")).toMatchObject({ status: 409 });
    const outcomes = await Promise.all([
      decide(authenticationId, "approved"),
      decide(authenticationId, "declined"),
    ]);
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect((await view(authenticationId)).state).toBe(
      outcomes[0].status === 200 ? "authenticated" : "failed",
    );
    expect(await decide(authenticationId, "approved")).toMatchObject({
      ...{ status: 409, body: { code: "ILLEGAL_TRANSITION" } },
    });
  });

  it("that the Program decides is in the audit log, once", async () => {
    const { program, request, decide, cardId } = await givenAuthentications();
    const { authenticationId } = await request(cardId);
    await Promise.all([decide(authenticationId, "approved"), decide(authenticationId, "approved")]);
    const query = { action: "authentication.decide" };
    const { items } = (await program.call("GET /account/audit-log", { query })).body;
    expect(items).toMatchObject([
      { subjectId: authenticationId, before: { state: "challenged" }, after: { state: "authenticated" } },
    ]);
  });

  it("is answered the same for the same key", async () => {
    const { request, decide, cardId } = await givenAuthentications();
    const { authenticationId } = await request(cardId);
    const headers = { "Idempotency-Key": "outcome-1" };
    const first = await decide(authenticationId, "declined", headers);
    expect(first).toMatchObject({
      status: 200,
      body: { data: { state: "failed", eci: "07", decidedBy: "program", liabilityShift: false } },
    });
    expect((await decide(authenticationId, "declined", headers)).body.data).toEqual(first.body.data);
    expect(await decide(authenticationId, "approved", headers)).toMatchObject({ status: 422 });
  });

  it("with a subscription has a passcode, each its own", async () => {
    const { request, view, subscribe, challenges, enter, cardId } = await givenAuthentications();
    const token = await subscribe(cardId);
    const [one, other] = [await request(cardId), await request(cardId, { amount: 100 })];
    expect(one.challenge?.method).toBe("passcode");
    const [newest, oldest] = await challenges(token);
    expect(await enter(one.authenticationId, wrong(oldest?.code ?? ""))).toMatchObject({
      ...{ status: 422, body: { errors: [{ path: "body.code", code: "wrong_code" }] } },
    });
    expect(await enter(one.authenticationId, oldest?.code ?? "")).toMatchObject({
      body: { data: { authenticationId: one.authenticationId, state: "authenticated", eci: "05" } },
    });
    expect(await view(one.authenticationId)).toMatchObject({ decidedBy: "cardholder", liabilityShift: true });
    expect((await view(other.authenticationId)).state).toBe("challenged");
    expect((await enter(other.authenticationId, newest?.code ?? "")).status).toBe(200);
    expect((await enter(other.authenticationId, newest?.code ?? "")).status).toBe(409);
  });

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

  it.each(["app", "passcode"])("in the %s expires after five minutes, also before the sweep", async (how) => {
    const { request, view, subscribe, codeOf, enter, decide, list, cardId } = await givenAuthentications();
    const token = how === "passcode" ? await subscribe(cardId) : "";
    const { authenticationId, challenge } = await request(cardId);
    expect(challenge?.method).toBe(how);
    const code = token && (await codeOf(token));
    pass(5 * minutes);
    expect((await decide(authenticationId, "approved")).status).toBe(409);
    if (token) expect((await enter(authenticationId, code)).status).toBe(409);
    await sweepDeadlines();
    expect(await view(authenticationId)).toMatchObject({
      ...{ state: "expired", eci: "07", decidedBy: "platform", liabilityShift: false },
    });
    expect((await list({ state: "expired" })).items).toMatchObject([{ authenticationId }]);
    expect((await list({ state: "challenged" })).total).toBe(0);
    await sweepDeadlines();
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

  it("that was decided does not expire", async () => {
    const { request, view, decide, cardId } = await givenAuthentications();
    const { authenticationId } = await request(cardId);
    await decide(authenticationId, "approved");
    pass(6 * minutes);
    await sweepDeadlines();
    expect((await view(authenticationId)).state).toBe("authenticated");
  });

  it("without the Cardholder is answered in the app, whatever subscriptions there are", async () => {
    const { request, subscribe, cardId } = await givenAuthentications();
    await subscribe(cardId);
    expect(await request(cardId, { channel: "merchant_initiated" })).toMatchObject({
      challenge: { method: "app" },
    });
  });
});

describe("a challenge of the network", () => {
  it("is an authentication with a passcode, whose challengeId goes on working", async () => {
    const { program, view, subscribe, codeOf, cardId } = await givenAuthentications();
    const token = await subscribe(cardId);
    const answer = await program.call("POST /cards/{cardId}/three-ds-challenges", {
      path: { cardId },
      body: { amount: 700, merchantName: "Corner Shop", expiresInSeconds: 60 },
    });
    const { challengeId, authenticationId, expiresAt } = answer.body.data;
    expect(await view(authenticationId)).toMatchObject({
      ...{ state: "challenged", amount: 700, merchant: { name: "Corner Shop" } },
      challenge: { method: "passcode", expiresAt },
    });
    const path = { challengeId };
    const complete = (code: string) =>
      program.call("POST /three-ds-challenges/{challengeId}/complete", { path, body: { code } });
    const code = await codeOf(token);
    expect((await complete(wrong(code))).status).toBe(422);
    expect((await complete(code)).status).toBe(200);
    expect(await view(authenticationId)).toMatchObject({ state: "authenticated", decidedBy: "cardholder" });
  });

  it("by event can be entered by its authentication", async () => {
    const { program, list, subscribe, codeOf, enter, cardId } = await givenAuthentications();
    const token = await subscribe(cardId);
    const { programId } = program;
    const kind = "three_ds_challenge";
    const challengeId = "chl_01K5Q2R6ME1T4B7W9Z3X5C8QPK";
    await applyEvent({ kind, eventId: "challenge-1", programId, cardId, challengeId });
    const [made] = (await list({ cardId })).items;
    expect((await enter(made?.authenticationId ?? "", await codeOf(token))).status).toBe(200);
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
