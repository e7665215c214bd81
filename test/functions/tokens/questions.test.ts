import { Webhook } from "standardwebhooks";
import { afterEach, describe, expect, it, vi } from "vitest";
import { applyOther } from "../../../functions/processor-events/other-events.ts";
import { circuits } from "../../../shared/questions/circuit.ts";
import { injectFaults } from "../../harness/faults.ts";
import { skipLeaseWaits } from "../../harness/lease-waits.ts";
import { useReceiverHosts } from "../../harness/receiver-hosts.ts";
import { sweepDeadlines } from "../../harness/sweep-deadlines.ts";
import { givenTokens, rule } from "./given-tokens.ts";

skipLeaseWaits();
const hosts = useReceiverHosts("decisions.example.com");
afterEach(() => void vi.useRealTimers());

/** A Program whose server is asked about tokens, and answers so. */
async function givenAsked(answer: object | "silent", more: object = {}) {
  const given = await givenTokens({ rules: [rule({ risk: ["red"] }, "decline")] });
  const url = `${hosts.receiver.origin}/decide`;
  const body = { url, deadlineMs: 500, questions: ["token"], ...more };
  const { secret } = (await given.program.call("PUT /authorization-endpoint", { body })).body.data;
  answers(answer);
  const before = hosts.receiver.received.length;
  const questions = () =>
    hosts.receiver.received.slice(before).map(({ body: sent }) => JSON.parse(sent.toString()));
  const decision = (tokenId: string) =>
    given.program.call("GET /tokens/{tokenId}/decision", { path: { tokenId } });
  const list = async () => (await given.program.call("GET /tokens")).body.items;
  return { ...given, secret, questions, decision, list };
}

function answers(answer: object | "silent", afterMs = 0) {
  hosts.receiver.behave((_, response) => {
    if (answer === "silent") return;
    setTimeout(() => response.end(JSON.stringify(answer)), afterMs);
  });
}

const lapse = () => vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 1_600, shouldAdvanceTime: true });

describe("a question about a token", () => {
  it("has what is known, is signed, and its answer decides", async () => {
    const given = await givenAsked({ decision: "decline", reason: "not on watches" });
    const { cardId, cardholderId } = given;
    const device = { type: "watch", name: "Ada's watch" };
    const made = await given.request(cardId, { risk: "yellow", device });
    expect(made).toMatchObject({
      ...{ state: "declined", outcome: "declined", decidedBy: "receiver" },
      declineReason: "RECEIVER_DECLINED",
    });
    const [sent] = hosts.receiver.received.slice(-1);
    expect(new Webhook(given.secret).verify(sent?.body.toString() ?? "", sent?.headers ?? {})).toEqual({
      ...{ type: "token.requested", eventId: expect.stringMatching(/^evt_/), tokenId: made.tokenId },
      ...{ cardId, cardholderId, wallet: "apple_pay", network: "visa", requestorId: "40010030273" },
      ...{ device, risk: "yellow", deadline: expect.stringMatching(/Z$/) },
    });
    expect((await given.decision(made.tokenId)).body.data).toEqual({
      ...{ tokenId: made.tokenId, decidedBy: "receiver", outcome: "declined", reason: "not on watches" },
      ...{ receivedAt: expect.any(String), askedAt: expect.any(String) },
      ...{ answeredAt: expect.any(String), decidedAt: expect.any(String) },
    });
  });

  it.each([
    ["approve", "active", "approved"],
    ["step_up", "verifying", "step_up"],
  ])("%s: %s", async (decision, state, outcome) => {
    const given = await givenAsked({ decision });
    expect(await given.request(given.cardId)).toMatchObject({ state, outcome, decidedBy: "receiver" });
  });

  it("is not asked where a rule or the Card declines, or authorizations alone are asked about", async () => {
    const given = await givenAsked({ decision: "approve" });
    const red = await given.request(given.cardId, { risk: "red" });
    expect(red).toMatchObject({ declineReason: "RULE_DECLINED", decidedBy: "platform" });
    expect((await given.decision(red.tokenId)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined", reason: "RULE_DECLINED" },
    });
    const path = { cardId: given.cardId };
    await given.program.call("PUT /cards/{cardId}/status", { path, body: { status: 2 } });
    expect(await given.request(given.cardId)).toMatchObject({
      ...{ declineReason: "CARD_ON_HOLD", decidedBy: "platform" },
    });
    await given.program.call("PUT /cards/{cardId}/status", { path, body: { status: 1 } });
    const { plasticId } = (await given.program.call("GET /cards/{cardId}", { path })).body.data;
    await given.program.call("POST /cards/{cardId}/replace", { path, body: { reason: "lost" } });
    expect(await given.request(given.cardId, { plasticId })).toMatchObject({
      ...{ declineReason: "PLASTIC_STOPPED", decidedBy: "platform" },
    });
    const other = await givenAsked({ decision: "decline" }, { questions: ["authorization"] });
    expect(await other.request(other.cardId)).toMatchObject({ outcome: "approved", decidedBy: "platform" });
    expect([...given.questions(), ...other.questions()]).toEqual([]);
  });

  it.each([
    ["approve", "approved"],
    ["step_up", "step_up"],
    [undefined, "declined"],
  ])("that has no answer in time is decided by the policy: %s", async (timeout, outcome) => {
    const given = await givenAsked("silent", timeout ? { tokenStandIn: { timeout } } : {});
    const made = await given.request(given.cardId);
    expect(made).toMatchObject({ outcome, decidedBy: "stand_in" });
    expect((await given.decision(made.tokenId)).body.data).toMatchObject({
      ...{ decidedBy: "stand_in", outcome, reason: "timeout" },
    });
  });

  it.each([{ decision: "challenge" }, { decision: "approve", amount: 1 }, {}])(
    "that is answered %o has a bad answer",
    async (answer) => {
      const given = await givenAsked(answer, { tokenStandIn: { badAnswer: "step_up" } });
      expect(await given.request(given.cardId)).toMatchObject({ outcome: "step_up", decidedBy: "stand_in" });
    },
  );

  it("has 2.5 seconds at most, whatever time the server has for purchases", async () => {
    const given = await givenAsked({ decision: "approve" }, { deadlineMs: 3_000 });
    const { tokenId } = await given.request(given.cardId);
    const [{ deadline }] = given.questions();
    const { receivedAt } = (await given.decision(tokenId)).body.data;
    expect(Date.parse(deadline) - Date.parse(receivedAt)).toBe(2_500);
  });

  it("is asked once: what the network repeats meanwhile waits, and gets the same answer", async () => {
    const given = await givenAsked("silent");
    answers({ decision: "approve" }, 300);
    const { programId } = given.program;
    const event = {
      kind: "token_request",
      eventId: "t1",
      programId,
      cardId: given.cardId,
      network: "visa",
      wallet: "google_pay",
      requestorId: "1",
      tokenReference: "T-1",
    } as const;
    const first = applyOther(event);
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const others = [applyOther(event), applyOther({ ...event, eventId: "t2" })];
    const results = await Promise.all([first, ...others]);
    expect(results[0]).toMatchObject({ outcome: "applied", tokenOutcome: "approved", decidedBy: "receiver" });
    for (const result of [...results, await applyOther(event)]) expect(result).toEqual(results[0]);
    expect(given.questions()).toHaveLength(1);
    expect(await given.list()).toHaveLength(1);
  });

  it("shows nothing while it is open; its late answer changes nothing", async () => {
    const given = await givenAsked("silent", { deadlineMs: 2_500 });
    answers({ decision: "step_up" }, 2_800);
    const asked = given.request(given.cardId);
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const { tokenId } = given.questions()[0];
    expect((await given.decision(tokenId)).status).toBe(404);
    expect(await given.view(tokenId)).toBeUndefined();
    expect(await given.list()).toEqual([]);
    expect((await asked).outcome).toBe("declined");
    await vi.waitFor(async () =>
      expect((await given.decision(tokenId)).body.data).toMatchObject({
        ...{ decidedBy: "stand_in", outcome: "declined" },
        lateAnswer: { decision: "step_up", at: expect.any(String) },
      }),
    );
  });

  it("is declined as lost where its process was killed, by the sweep or a repetition, once", async () => {
    for (const way of ["sweep", "repetition"]) {
      const given = await givenAsked({ decision: "approve" });
      {
        using _ = injectFaults(({ command, input }) =>
          command === "TransactWriteItems" && JSON.stringify(input).includes("TOKEN_EVENT#")
            ? "lost"
            : undefined,
        );
        await given.request(given.cardId, { tokenReference: "T-2" }).catch(() => undefined);
      }
      const { tokenId } = given.questions()[0];
      expect((await given.decision(tokenId)).status).toBe(404);
      lapse();
      if (way === "sweep") await sweepDeadlines();
      else await given.request(given.cardId, { tokenReference: "T-2" });
      expect((await given.decision(tokenId)).body.data).toMatchObject({
        ...{ decidedBy: "stand_in", outcome: "declined", reason: "lost" },
      });
      await sweepDeadlines();
      expect(await given.list()).toHaveLength(1);
      expect(given.questions()).toHaveLength(1);
      vi.useRealTimers();
    }
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
    const { tokenId, outcome } = await asked;
    expect(outcome).toBe("declined");
    expect((await given.decision(tokenId)).body.data).toMatchObject({
      ...{ decidedBy: "platform", outcome: "declined", reason: "CARD_CLOSED" },
    });
  });

  it("that is open hides its token from a deletion; the wallet repeats that, and deletes it then", async () => {
    const given = await givenAsked("silent", { deadlineMs: 2_500 });
    const { request, remove, walletEvent, view } = given;
    const tried = Promise.withResolvers<void>();
    hosts.receiver.behave((_, response) => {
      tried.promise.then(() => response.end(JSON.stringify({ decision: "approve" })));
    });
    const tokenReference = "OF-A-RACE";
    const asked = request(given.cardId, { tokenReference });
    await vi.waitFor(() => expect(given.questions()).toHaveLength(1));
    const [{ tokenId }] = given.questions();
    expect([(await walletEvent(tokenId, "delete")).status, (await remove(tokenId)).status]).toEqual([
      404, 404,
    ]);
    tried.resolve();
    expect(await asked).toMatchObject({ outcome: "approved", tokenId });
    expect((await walletEvent(tokenId, "delete")).status).toBe(200);
    expect((await view(tokenId)).state).toBe("deleted");
    // The request again gets its first answer, and makes none anew.
    expect(await request(given.cardId, { tokenReference })).toMatchObject({ outcome: "approved", tokenId });
    expect((await view(tokenId)).state).toBe("deleted");
    expect(given.questions()).toHaveLength(1);
  });

  it("is not asked while the server is down, by the circuit that all kinds share", async () => {
    const given = await givenAsked({ decision: "approve" }, { tokenStandIn: { timeout: "step_up" } });
    const openUntil = new Date(Date.now() + 5_000).toISOString();
    const url = `${hosts.receiver.origin}/decide`;
    const failure = "timeout" as const;
    await circuits.at(given.program.programId).createNow({ url, openUntil, failure, expiresAtSeconds: 1 });
    const made = await given.request(given.cardId);
    expect(made).toMatchObject({ outcome: "step_up", decidedBy: "stand_in" });
    expect((await given.decision(made.tokenId)).body.data.reason).toBe("circuit_open");
    expect(given.questions()).toEqual([]);
  });
});
