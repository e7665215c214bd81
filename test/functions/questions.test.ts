import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { applyOther } from "../../functions/processor-events/other-events.ts";
import { circuits } from "../../shared/questions/circuit.ts";
import { injectFaults } from "../harness/faults.ts";
import { skipLeaseWaits } from "../harness/lease-waits.ts";
import { useReceiverHosts } from "../harness/receiver-hosts.ts";
import { allStoredItems } from "../harness/stored.ts";
import { sweepDeadlines } from "../harness/sweep-deadlines.ts";
import { givenAuthentications } from "./authentications/given-authentications.ts";
import { callsOf, givenTokens, rule } from "./tokens/given-tokens.ts";

skipLeaseWaits();
const hosts = useReceiverHosts("decisions.example.com");
afterEach(() => void vi.useRealTimers());

// biome-ignore lint/suspicious/noExplicitAny: what is asked about, of either kind
type View = any;

/** What the Program's server is asked about beside authorizations: `processor-events/decisions`. */
const kinds = [
  {
    ...{
      kind: "authentication",
      id: "authenticationId",
      list: "GET /authentications",
      written: "AUTHENTICATION#",
    },
    decision: "GET /authentications/{authenticationId}/decision",
    given: async () => {
      const given = await givenAuthentications();
      await given.putRules({ rules: [{ when: { country: "KP" }, then: "decline" }], otherwise: "approve" });
      await given.subscribe(given.cardId);
      return given;
    },
    ruledOut: { merchantCountry: "KP" },
    details: {
      ...{ exemptions: ["low_value"], billingAddress: { line1: "1 Nowhere Road", postalCode: "00000" } },
      ...{ device: { type: "phone" }, merchantCountry: "FR", mcc: "5732" },
    },
    question: {
      ...{ plasticId: expect.stringMatching(/^plc_/), amount: 4_999, currency: 0, channel: "browser" },
      ...{ merchant: { name: "Web Shop", mcc: "5732", country: "FR" }, exemptions: ["low_value"] },
      ...{ device: { type: "phone" } },
      verification: { addressLine: expect.any(String), postalCode: expect.any(String) },
    },
    declined: { state: "rejected" },
    answers: [
      [{ decision: "approve" }, "approved", { state: "authenticated" }],
      [
        { decision: "challenge", method: "app" },
        "challenged",
        { state: "challenged", challenge: { method: "app" } },
      ],
      [{ decision: "challenge" }, "challenged", { state: "challenged", challenge: { method: "passcode" } }],
    ],
    policies: [
      ["attempt", "attempted", { state: "attempted", eci: "06" }],
      ["approve", "approved", { state: "authenticated", eci: "05" }],
      ["challenge", "challenged", { state: "challenged" }],
      [undefined, "declined", { state: "rejected", eci: "07" }],
    ],
    bad: [
      ...[
        { decision: "step_up" },
        { decision: "approve", amount: 1 },
        { decision: "approve", method: "app" },
      ],
      { decision: "challenge", method: "sms" },
    ],
    standIn: (policy: object) => ({ authenticationStandIn: policy }),
    ...{ badPolicy: "attempt", badOutcome: "attempted", late: "approve", repetition: undefined },
  },
  {
    ...{ kind: "token", id: "tokenId", list: "GET /tokens", written: "TOKEN_EVENT#" },
    decision: "GET /tokens/{tokenId}/decision",
    given: () => givenTokens({ rules: [rule({ risk: ["red"] }, "decline")] }),
    ruledOut: { risk: "red" },
    details: { risk: "yellow", device: { type: "watch", name: "Ada's watch" } },
    question: {
      ...{ wallet: "apple_pay", network: "visa", requestorId: "40010030273", risk: "yellow" },
      device: { type: "watch", name: "Ada's watch" },
    },
    declined: { state: "declined", outcome: "declined" },
    answers: [
      [{ decision: "approve" }, "approved", { state: "active", outcome: "approved", decidedBy: "receiver" }],
      [{ decision: "step_up" }, "step_up", { state: "verifying", outcome: "step_up", decidedBy: "receiver" }],
    ],
    policies: [
      ["approve", "approved", { outcome: "approved", decidedBy: "stand_in" }],
      ["step_up", "step_up", { outcome: "step_up" }],
      [undefined, "declined", { outcome: "declined" }],
    ],
    bad: [{ decision: "challenge" }, { decision: "approve", amount: 1 }, {}],
    standIn: (policy: object) => ({ tokenStandIn: policy }),
    ...{
      badPolicy: "step_up",
      badOutcome: "step_up",
      late: "step_up",
      repetition: { tokenReference: "T-2" },
    },
  },
] as const;

function answers(answer: object | "silent", afterMs = 0) {
  hosts.receiver.behave((_, response) => {
    if (answer === "silent") return;
    setTimeout(() => response.end(JSON.stringify(answer)), afterMs);
  });
}

/** A Program whose server is asked about this kind, and answers so. */
async function givenAsked(of: (typeof kinds)[number], answer: object | "silent", more: object = {}) {
  const given = await of.given();
  const { program, cardId } = given;
  const url = `${hosts.receiver.origin}/decide`;
  const body = { url, deadlineMs: 500, questions: [of.kind], ...more };
  const { secret } = (await program.call("PUT /authorization-endpoint", { body })).body.data;
  answers(answer);
  const before = hosts.receiver.received.length;
  const questions = () =>
    hosts.receiver.received.slice(before).map(({ body: sent }) => JSON.parse(sent.toString()));
  return {
    ...given,
    secret,
    questions,
    ask: async (details: object = {}): Promise<View> => given.request(cardId, details),
    decision: (made: View) => program.call(of.decision, { path: { [of.id]: made[of.id] } }),
    list: async () => (await program.call(of.list as "GET /tokens")).body.items as readonly View[],
    /** Asks, and answers by an approval after something has happened. */
    meanwhile: async (details: object, happens: (question: View) => Promise<unknown>): Promise<View> => {
      const happened = Promise.withResolvers<void>();
      hosts.receiver.behave((_, response) => {
        happened.promise.then(() => response.end(JSON.stringify({ decision: "approve" })));
      });
      const asked = given.request(cardId, details);
      await vi.waitFor(() => expect(questions()).toHaveLength(1));
      await happens(questions()[0]);
      happened.resolve();
      return asked;
    },
  };
}

describe.each(kinds)("a question about a $kind", (of) => {
  it("has what is known, is signed, and its answer decides", async () => {
    const given = await givenAsked(of, { decision: "decline", reason: "not today" });
    const { cardId, cardholderId } = given;
    const made = await given.ask(of.details);
    expect(made).toMatchObject(of.declined);
    const about = { [of.id]: made[of.id] };
    const [sent] = hosts.receiver.received.slice(-1);
    expect(new Webhook(given.secret).verify(sent?.body.toString() ?? "", sent?.headers ?? {})).toEqual({
      ...{ type: `${of.kind}.requested`, eventId: expect.stringMatching(/^evt_/), ...about },
      ...{ cardId, cardholderId, ...of.question, deadline: expect.stringMatching(/Z$/) },
    });
    expect(await given.view(made[of.id])).toMatchObject({ decidedBy: "receiver" });
    expect((await given.decision(made)).body.data).toEqual({
      ...{ ...about, decidedBy: "receiver", outcome: "declined", reason: "not today" },
      ...{ receivedAt: expect.any(String), askedAt: expect.any(String) },
      ...{ answeredAt: expect.any(String), decidedAt: expect.any(String) },
    });
    expect(JSON.stringify(await allStoredItems())).not.toContain("Nowhere");
  });

  it.each(of.answers as readonly (readonly [object, string, object])[])(
    "%o: %s",
    async (answer, outcome, shown) => {
      const given = await givenAsked(of, answer);
      const made = await given.ask();
      expect(made).toMatchObject(shown);
      expect((await given.decision(made)).body.data).toMatchObject({ decidedBy: "receiver", outcome });
    },
  );

  it("is not asked where a rule or the Card's state declines, or authorizations alone are asked about", async () => {
    const given = await givenAsked(of, { decision: "approve" });
    const { program, cardId } = given;
    const expectDeclined = async (reason: string | undefined, details: object = {}) => {
      const made = await given.ask(details);
      expect(made).toMatchObject(of.declined);
      const decided = { decidedBy: "platform", outcome: "declined", ...(reason && { reason }) };
      expect((await given.decision(made)).body.data).toMatchObject(decided);
    };
    await expectDeclined(of.kind === "token" ? "RULE_DECLINED" : undefined, of.ruledOut);
    const path = { cardId };
    await program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } });
    await expectDeclined("CARD_ON_HOLD");
    await program.call("PUT /cards/{cardId}/status", { path, body: { status: 1 } });
    const { plasticId } = (await program.call("GET /cards/{cardId}", { path })).body.data;
    await program.call("POST /cards/{cardId}/replace", { path, body: { reason: "lost" } });
    await expectDeclined("PLASTIC_STOPPED", { plasticId });
    const other = await givenAsked(of, { decision: "decline" }, { questions: ["authorization"] });
    const decided = (await other.decision(await other.ask())).body.data;
    expect(decided).toMatchObject({ outcome: "approved", decidedBy: "platform" });
    expect([...given.questions(), ...other.questions()]).toEqual([]);
  });

  it.each(of.policies as readonly (readonly [string | undefined, string, object])[])(
    "that has no answer in time is decided by the policy: %s",
    async (timeout, outcome, shown) => {
      const given = await givenAsked(of, "silent", timeout ? of.standIn({ timeout }) : {});
      const made = await given.ask();
      expect(made).toMatchObject(shown);
      expect((await given.decision(made)).body.data).toMatchObject({
        ...{
          decidedBy: "stand_in",
          outcome,
          reason: "timeout",
          detail: expect.stringContaining("no answer"),
        },
      });
    },
  );

  it.each(of.bad as readonly object[])("that is answered %o has a bad answer", async (answer) => {
    const given = await givenAsked(of, answer, of.standIn({ badAnswer: of.badPolicy }));
    expect((await given.decision(await given.ask())).body.data).toMatchObject({
      ...{ decidedBy: "stand_in", outcome: of.badOutcome, reason: "bad_answer" },
    });
  });

  it("has 2.5 seconds at most, whatever time the server has for purchases", async () => {
    const given = await givenAsked(of, { decision: "approve" }, { deadlineMs: 3_000 });
    const { receivedAt } = (await given.decision(await given.ask())).body.data;
    expect(Date.parse(given.questions()[0].deadline) - Date.parse(receivedAt)).toBe(2_500);
  });

  it("shows nothing while it is open; its late answer changes nothing", async () => {
    const given = await givenAsked(of, "silent", { deadlineMs: 2_500 });
    answers({ decision: of.late }, 2_800);
    const asked = given.ask();
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const [question] = given.questions();
    expect((await given.decision(question)).status).toBe(404);
    expect(await given.view(question[of.id])).toBeUndefined();
    expect(await given.list()).toEqual([]);
    expect(await asked).toMatchObject(of.declined);
    await vi.waitFor(async () =>
      expect((await given.decision(question)).body.data).toMatchObject({
        ...{ decidedBy: "stand_in", outcome: "declined" },
        lateAnswer: { decision: of.late, at: expect.any(String) },
      }),
    );
    expect(await given.list()).toHaveLength(1);
  });

  it.each(of.repetition ? ["the sweep", "a repetition"] : ["the sweep"])(
    "is declined as lost where its process was killed, by %s, once",
    async (way) => {
      const given = await givenAsked(of, { decision: "approve" });
      // The commit of the decision is lost for good.
      {
        using _ = injectFaults(({ command, input }) =>
          command === "TransactWriteItems" && JSON.stringify(input).includes(of.written) ? "lost" : undefined,
        );
        await given.ask(of.repetition).catch(() => undefined);
      }
      const [question] = given.questions();
      expect((await given.decision(question)).status).toBe(404);
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_600, shouldAdvanceTime: true });
      if (way === "the sweep") await sweepDeadlines();
      else await given.ask(of.repetition);
      expect((await given.decision(question)).body.data).toMatchObject({
        ...{ decidedBy: "stand_in", outcome: "declined", reason: "lost" },
      });
      await sweepDeadlines();
      expect([(await given.list()).length, given.questions().length]).toEqual([1, 1]);
    },
  );

  it("about a Card that was closed meanwhile is declined with that reason", async () => {
    const given = await givenAsked(of, "silent", { deadlineMs: 2_500 });
    const path = { cardId: given.cardId };
    const close = () => given.program.call("POST /cards/{cardId}/close", { path, body: {} });
    const made = await given.meanwhile({}, close);
    expect(made).toMatchObject(of.declined);
    expect((await given.decision(made)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined", reason: "CARD_CLOSED" },
    });
  });

  it("is not asked while the server is down, by the circuit that all kinds share", async () => {
    const given = await givenAsked(of, { decision: "approve" }, of.standIn({ timeout: of.badPolicy }));
    const openUntil = new Date(Date.now() + 5_000).toISOString();
    const url = `${hosts.receiver.origin}/decide`;
    const failure = "timeout" as const;
    await circuits.at(given.program.programId).createNow({ url, openUntil, failure, expiresAtSeconds: 1 });
    expect((await given.decision(await given.ask())).body.data).toMatchObject({
      ...{ outcome: of.badOutcome, decidedBy: "stand_in", reason: "circuit_open" },
    });
    expect(given.questions()).toEqual([]);
  });
});

describe("a question about an authentication, with what it is made by", () => {
  const [authentication] = kinds;

  it.each([
    ["lost", {}, "rejected", "PLASTIC_STOPPED"],
    ["damaged", {}, "rejected", "PLASTIC_REPLACED"],
    ["damaged", { channel: "merchant_initiated" }, "authenticated", undefined],
    ["lost", { tokenId: true }, "authenticated", undefined],
  ])("about a plastic that is reported %s meanwhile, with %o: %s", async (reason, more, state, declined) => {
    const given = await givenAsked(authentication, "silent", { deadlineMs: 2_500 });
    const { program, cardId } = given;
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const ofToken = "tokenId" in more && (await callsOf(program).request(cardId));
    const made = await given.meanwhile(
      { ...more, ...(ofToken && { tokenId: ofToken.tokenId }) },
      async () => {
        const replaced = await program.call("POST /cards/{cardId}/replace", {
          path: { cardId },
          body: { reason },
        });
        expect(replaced.status).toBe(200);
      },
    );
    expect(made.state).toBe(state);
    expect((await given.view(made.authenticationId)).reason).toBe(declined);
  });

  it("is not asked about a token that is not active, and is declined for one suspended meanwhile", async () => {
    const given = await givenAsked(authentication, "silent", { deadlineMs: 2_500 });
    const tokens = callsOf(given.program);
    await given.program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const { tokenId } = await tokens.request(given.cardId);
    const made = await given.meanwhile({ tokenId }, (question) => {
      expect(question.tokenId).toBe(tokenId);
      return tokens.suspend(tokenId);
    });
    expect(made.state).toBe("rejected");
    expect((await given.decision(made)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined", reason: "TOKEN_NOT_ACTIVE" },
    });
    expect((await given.ask({ tokenId })).state).toBe("rejected");
    expect(given.questions()).toHaveLength(1);
  });
});

describe("a question about a token, and its wallet", () => {
  const token = kinds[1];

  it("is asked once: what the network repeats meanwhile waits, and gets the same answer", async () => {
    const given = await givenAsked(token, "silent");
    answers({ decision: "approve" }, 300);
    const event = {
      ...{ eventId: "t1", programId: given.program.programId, cardId: given.cardId },
      ...{ requestorId: "1", tokenReference: "T-1" },
      kind: "token_request",
      network: "visa",
      wallet: "google_pay",
    } as const;
    const first = applyOther(event);
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const results = await Promise.all([first, applyOther(event), applyOther({ ...event, eventId: "t2" })]);
    expect(results[0]).toMatchObject({ outcome: "applied", tokenOutcome: "approved", decidedBy: "receiver" });
    for (const result of [...results, await applyOther(event)]) expect(result).toEqual(results[0]);
    expect([(await given.list()).length, given.questions().length]).toEqual([1, 1]);
  });

  it("that is open hides its token from a deletion; the wallet repeats that, and deletes it then", async () => {
    const given = await givenAsked(token, "silent", { deadlineMs: 2_500 });
    if (!("walletEvent" in given)) throw new Error("These are a token's calls.");
    const tokenReference = "OF-A-RACE";
    const { tokenId, outcome } = await given.meanwhile({ tokenReference }, async (question) => {
      const tried = [
        await given.walletEvent(question.tokenId, "delete"),
        await given.remove(question.tokenId),
      ];
      expect(tried.map(({ status }) => status)).toEqual([404, 404]);
    });
    expect([outcome, tokenId]).toEqual(["approved", given.questions()[0].tokenId]);
    expect((await given.walletEvent(tokenId, "delete")).status).toBe(200);
    expect((await given.view(tokenId)).state).toBe("deleted");
    // The request again gets its first answer, and makes none anew.
    expect(await given.ask({ tokenReference })).toMatchObject({ outcome: "approved", tokenId });
    expect((await given.view(tokenId)).state).toBe("deleted");
    expect(given.questions()).toHaveLength(1);
  });
});
