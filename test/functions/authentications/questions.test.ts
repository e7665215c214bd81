import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { injectFaults } from "../../harness/faults.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { allStoredItems } from "../../harness/stored.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { callsOf } from "../tokens/given-tokens.ts";
import { givenAuthentications } from "./given-authentications.ts";

skipLeaseWaits();
const hosts = useReceiverHosts("decisions.example.com");
afterEach(() => void vi.useRealTimers());

/** A Program whose server is asked about authentications, and answers so. */
async function givenAsked(answer: object | "silent", more: object = {}) {
  const given = await givenAuthentications();
  await given.putRules({ rules: [{ when: { country: "KP" }, then: "decline" }], otherwise: "approve" });
  const url = `${hosts.receiver.origin}/decide`;
  const body = { url, deadlineMs: 500, questions: ["authentication"], ...more };
  const { secret } = (await given.program.call("PUT /authorization-endpoint", { body })).body.data;
  answers(answer);
  const decision = async (authenticationId: string) =>
    given.program.call("GET /authentications/{authenticationId}/decision", { path: { authenticationId } });
  const before = hosts.receiver.received.length;
  const questions = () =>
    hosts.receiver.received.slice(before).map(({ body }) => JSON.parse(body.toString()));
  return { ...given, secret, decision, questions };
}

function answers(answer: object | "silent", afterMs = 0) {
  hosts.receiver.behave((_, response) => {
    if (answer === "silent") return;
    setTimeout(() => response.end(JSON.stringify(answer)), afterMs);
  });
}

describe("a question about an authentication", () => {
  it("has what is known, is signed, and its answer decides", async () => {
    const given = await givenAsked({ decision: "decline", reason: "not today" });
    const { cardId, cardholderId } = given;
    const address = { line1: "1 Nowhere Road", postalCode: "00000" };
    const { authenticationId, state } = await given.request(cardId, {
      ...{ exemptions: ["low_value"], billingAddress: address, device: { type: "phone" } },
      ...{ merchantCountry: "FR", mcc: "5732" },
    });
    expect(state).toBe("rejected");
    const [sent] = hosts.receiver.received.slice(-1);
    const question = new Webhook(given.secret).verify(sent?.body.toString() ?? "", sent?.headers ?? {});
    expect(question).toEqual({
      ...{ type: "authentication.requested", eventId: expect.stringMatching(/^evt_/), authenticationId },
      ...{ cardId, cardholderId, plasticId: expect.stringMatching(/^plc_/), amount: 4_999, currency: 0 },
      ...{ merchant: { name: "Web Shop", mcc: "5732", country: "FR" }, channel: "browser" },
      ...{ device: { type: "phone" }, exemptions: ["low_value"] },
      verification: { addressLine: expect.any(String), postalCode: expect.any(String) },
      deadline: expect.stringMatching(/Z$/),
    });
    expect(await given.view(authenticationId)).toMatchObject({ decidedBy: "receiver", reason: "not today" });
    expect((await given.decision(authenticationId)).body.data).toEqual({
      ...{ authenticationId, decidedBy: "receiver", outcome: "declined", reason: "not today" },
      ...{ receivedAt: expect.any(String), askedAt: expect.any(String) },
      ...{ answeredAt: expect.any(String), decidedAt: expect.any(String) },
    });
    expect(JSON.stringify(await allStoredItems())).not.toContain("Nowhere");
  });

  it.each([
    [{ decision: "approve" }, "authenticated", "approved", undefined],
    [{ decision: "challenge", method: "app" }, "challenged", "challenged", "app"],
    [{ decision: "challenge" }, "challenged", "challenged", "passcode"],
  ])("%o: %s", async (answer, state, outcome, method) => {
    const given = await givenAsked(answer);
    await given.subscribe(given.cardId);
    const made = await given.request(given.cardId);
    expect([made.state, made.challenge?.method]).toEqual([state, method]);
    expect((await given.decision(made.authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "receiver", outcome },
    });
  });

  it("is not asked where a rule or the Card's state declines, or authorizations alone are asked about", async () => {
    const given = await givenAsked({ decision: "approve" });
    const declined = await given.request(given.cardId, { merchantCountry: "KP" });
    expect(declined.state).toBe("rejected");
    expect((await given.decision(declined.authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined" },
    });
    await given.program.call("PUT /cards/{cardId}/status", {
      path: { cardId: given.cardId },
      body: { status: 2 },
    });
    const held = await given.request(given.cardId);
    expect(await given.view(held.authenticationId)).toMatchObject({
      ...{ state: "rejected", reason: "CARD_ON_HOLD", decidedBy: "platform" },
    });
    const other = await givenAsked({ decision: "decline" }, { questions: ["authorization"] });
    expect((await other.request(other.cardId)).state).toBe("authenticated");
    expect([...given.questions(), ...other.questions()]).toEqual([]);
  });

  it.each([
    ["attempt", "attempted", "attempted", "06"],
    ["approve", "authenticated", "approved", "05"],
    ["challenge", "challenged", "challenged", undefined],
    [undefined, "rejected", "declined", "07"],
  ])("that has no answer in time is decided by the policy: %s", async (timeout, state, outcome, eci) => {
    const given = await givenAsked("silent", timeout ? { authenticationStandIn: { timeout } } : {});
    const made = await given.request(given.cardId);
    expect([made.state, made.eci]).toEqual([state, eci]);
    expect((await given.decision(made.authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "stand_in", outcome, reason: "timeout", detail: expect.stringContaining("no answer") },
    });
  });

  it.each([
    { decision: "step_up" },
    { decision: "approve", amount: 1 },
    { decision: "approve", method: "app" },
    { decision: "challenge", method: "sms" },
  ])("that is answered %o has a bad answer", async (answer) => {
    const given = await givenAsked(answer, { authenticationStandIn: { badAnswer: "attempt" } });
    const made = await given.request(given.cardId);
    expect((await given.decision(made.authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "stand_in", outcome: "attempted", reason: "bad_answer" },
    });
  });

  it("has 2.5 seconds at most, whatever time the server has for purchases", async () => {
    const given = await givenAsked({ decision: "approve" }, { deadlineMs: 3_000 });
    const { authenticationId } = await given.request(given.cardId);
    const [{ deadline }] = given.questions();
    const { receivedAt } = (await given.decision(authenticationId)).body.data;
    expect(Date.parse(deadline) - Date.parse(receivedAt)).toBe(2_500);
  });

  it("shows nothing while it is open; its late answer changes nothing", async () => {
    const given = await givenAsked("silent", { deadlineMs: 2_500 });
    answers({ decision: "approve" }, 2_800);
    const asked = given.request(given.cardId);
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const { authenticationId } = given.questions()[0];
    expect((await given.decision(authenticationId)).status).toBe(404);
    expect(await given.view(authenticationId)).toBeUndefined();
    expect((await given.list()).items).toEqual([]);
    expect((await asked).state).toBe("rejected");
    await vi.waitFor(async () =>
      expect((await given.decision(authenticationId)).body.data).toMatchObject({
        ...{ decidedBy: "stand_in", outcome: "declined" },
        lateAnswer: { decision: "approve", at: expect.any(String) },
      }),
    );
    expect((await given.list()).items).toHaveLength(1);
  });

  it("is declined as lost where its process was killed, once", async () => {
    const given = await givenAsked({ decision: "approve" });
    // The commit of the decision is lost for good.
    {
      using _ = injectFaults(({ command, input }) =>
        command === "TransactWriteItems" && JSON.stringify(input).includes("AUTHENTICATION#")
          ? "lost"
          : undefined,
      );
      await given.request(given.cardId).catch(() => undefined);
    }
    const { authenticationId } = given.questions()[0];
    expect((await given.decision(authenticationId)).status).toBe(404);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_600, shouldAdvanceTime: true });
    await sweepDeadlines();
    expect((await given.decision(authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "stand_in", outcome: "declined", reason: "lost" },
    });
    await sweepDeadlines();
    expect((await given.list()).items).toHaveLength(1);
  });

  it("about a Card that was closed meanwhile is declined with that reason", async () => {
    const given = await givenAsked("silent", { deadlineMs: 2_500 });
    const closed = Promise.withResolvers<void>();
    hosts.receiver.behave((_, response) => {
      closed.promise.then(() => response.end(JSON.stringify({ decision: "approve" })));
    });
    const asked = given.request(given.cardId);
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    await given.program.call("POST /cards/{cardId}/close", { path: { cardId: given.cardId }, body: {} });
    closed.resolve();
    const { authenticationId, state } = await asked;
    expect(state).toBe("rejected");
    expect((await given.decision(authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined", reason: "CARD_CLOSED" },
    });
  });

  it.each([
    ["lost", {}, "rejected", "PLASTIC_STOPPED"],
    ["damaged", {}, "rejected", "PLASTIC_REPLACED"],
    ["damaged", { channel: "merchant_initiated" }, "authenticated", undefined],
    ["lost", { tokenId: true }, "authenticated", undefined],
  ])("about a plastic that is reported %s meanwhile, with %o: %s", async (reason, more, state, declined) => {
    const given = await givenAsked("silent", { deadlineMs: 2_500 });
    const { program, cardId } = given;
    await program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const ofToken = "tokenId" in more && (await callsOf(program).request(cardId));
    const reported = Promise.withResolvers<void>();
    hosts.receiver.behave((_, response) => {
      reported.promise.then(() => response.end(JSON.stringify({ decision: "approve" })));
    });
    const asked = given.request(cardId, { ...more, ...(ofToken && { tokenId: ofToken.tokenId }) });
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const replaced = await program.call("POST /cards/{cardId}/replace", {
      ...{ path: { cardId }, body: { reason } },
    });
    expect(replaced.status).toBe(200);
    reported.resolve();
    const made = await asked;
    expect(made.state).toBe(state);
    expect((await given.view(made.authenticationId)).reason).toBe(declined);
  });

  it("is not asked about a token that is not active, and is declined for one suspended meanwhile", async () => {
    const given = await givenAsked("silent", { deadlineMs: 2_500 });
    const tokens = callsOf(given.program);
    await given.program.call("PUT /token-rules", { body: { rules: [], otherwise: "approve" } });
    const { tokenId } = await tokens.request(given.cardId);
    const suspended = Promise.withResolvers<void>();
    hosts.receiver.behave((_, response) => {
      suspended.promise.then(() => response.end(JSON.stringify({ decision: "approve" })));
    });
    const asked = given.request(given.cardId, { tokenId });
    await vi.waitFor(() => expect(given.questions()).toMatchObject([{ tokenId }]));
    await tokens.suspend(tokenId);
    suspended.resolve();
    const { authenticationId, state } = await asked;
    expect(state).toBe("rejected");
    expect((await given.decision(authenticationId)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined", reason: "TOKEN_NOT_ACTIVE" },
    });
    expect((await given.request(given.cardId, { tokenId })).state).toBe("rejected");
    expect(given.questions()).toHaveLength(1);
  });
});
