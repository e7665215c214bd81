import { afterEach, describe, expect, it, vi } from "vitest";
import { handler } from "../../../functions/controls/handler.ts";
import { cardChanges } from "../../../shared/network-events/apply/card-changes.ts";
import { applyEvent } from "../../../shared/network-events/apply/execute-event.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { approve, decline, givenReceiver, heldBack } from "../../harness/given-receiver.ts";
import { replay } from "../../harness/replay.ts";
import { lapsedMs, moveClock } from "../processor-events/given-decisions.ts";
import { givenSandbox } from "../sandbox/given-sandbox.ts";

afterEach(() => void vi.useRealTimers());

const time = expect.stringMatching(/^\d{4}-.*Z$/);
const notAsked = { decidedBy: "platform", receivedAt: time, decidedAt: time };

describe("GET /authorizations/{authorizationId}/decision", () => {
  async function given() {
    const sandbox = await givenSandbox();
    const authorize = async (body: object) => (await sandbox.onCard("authorizations", body)).body.data;
    const { programId } = sandbox;
    const route = "GET /authorizations/{authorizationId}/decision";
    const view = (authorizationId: string) =>
      replay(handler, apiEvent({ route, path: { authorizationId }, caller: { programId } }));
    const decisionOn = async (body: object) =>
      (await view((await authorize(body)).authorizationId)).body.data;
    return { ...sandbox, authorize, view, decisionOn };
  }

  it("has what the receiver decided, with its times in order", async () => {
    const { programId, decisionOn } = await given();
    const receiver = await givenReceiver(programId, approve);
    const approved = await decisionOn({ amount: 100 });
    expect(approved).toEqual({
      ...{ decidedBy: "receiver", outcome: "approved", amount: 100 },
      ...{ receivedAt: time, askedAt: time, answeredAt: time, decidedAt: time },
    });
    const { receivedAt, askedAt, answeredAt, decidedAt } = approved;
    const times = [receivedAt, askedAt, answeredAt, decidedAt];
    expect(times).toEqual(times.toSorted());
    receiver.answer(() => decline);
    expect(await decisionOn({ amount: 100 })).toMatchObject({
      ...{ decidedBy: "receiver", outcome: "declined", amount: 0, reason: "not today" },
    });
  });

  it("has why the stand-in decided, and the answer that came late", async () => {
    const { programId, authorize, view } = await given();
    const askedAt = new Date().toISOString();
    const late = Promise.resolve({ decision: "approve" as const, at: askedAt });
    const reply = { kind: "timeout", detail: "no answer within 480 ms" } as const;
    await givenReceiver(programId, () => ({ asked: true, reply, askedAt, late, recorded: late }));
    const { authorizationId } = await authorize({ amount: 100 });
    const shown = async () => (await view(authorizationId)).body.data;
    // It is noted beside the answer to the network, which does not wait for that.
    await expect.poll(shown).toHaveProperty("lateAnswer", { decision: "approve", at: askedAt });
    const decision = await shown();
    expect(decision).toMatchObject({ decidedBy: "stand_in", outcome: "declined", reason: "timeout" });
    expect(decision.detail).toBe(reply.detail);
    expect(decision.answeredAt).toBeUndefined();
  });

  it("has the decisions on its increments, the oldest first, without an open question", async () => {
    const { programId, onCard, onHold, view } = await given();
    const receiver = await givenReceiver(programId, approve);
    const { authorizationId } = (await onCard("authorizations", { amount: 100 })).body.data;
    const increment = (amount: number) => onHold(authorizationId, "increment", { amount });
    expect((await view(authorizationId)).body.data).not.toHaveProperty("increments");
    receiver.answer(() => decline);
    await increment(40);
    receiver.answer(approve);
    await increment(30);
    const open = heldBack();
    receiver.answer(open.answer);
    const answered = increment(20);
    await open.asked;
    const shown = async () => (await view(authorizationId)).body.data;
    const times = { receivedAt: time, askedAt: time, answeredAt: time, decidedAt: time };
    const byReceiver = { decidedBy: "receiver", ...times };
    const [, declined, approved, third] = receiver.questions.map(({ eventId }) => eventId);
    const decided = [
      { ...byReceiver, eventId: declined, outcome: "declined", amount: 0, reason: "not today" },
      { ...byReceiver, eventId: approved, outcome: "approved", amount: 30 },
    ];
    expect(await shown()).toEqual({ ...byReceiver, outcome: "approved", amount: 100, increments: decided });
    open.reply({ kind: "approve", amountMinor: 20 });
    await answered;
    expect((await shown()).increments).toEqual([
      ...decided,
      { ...byReceiver, eventId: third, outcome: "approved", amount: 20 },
    ]);
  });

  it("has the platform's own decisions, with and without an endpoint", async () => {
    const { programId, decisionOn } = await given();
    expect(await decisionOn({ amount: 100 })).toEqual({ ...notAsked, outcome: "approved" });
    expect(await decisionOn({ amount: 99_999 })).toEqual({ ...notAsked, outcome: "declined" });
    moveClock(3_000);
    await givenReceiver(programId, approve);
    const reason = "INSUFFICIENT_FUNDS";
    expect(await decisionOn({ amount: 99_999 })).toEqual({
      ...notAsked,
      outcome: "declined",
      amount: 0,
      reason,
    });
  });

  it("has the platform's decision where another event came before the authorization", async () => {
    const { programId, cardId, onCard, view } = await given();
    const { authorizationId } = (await onCard("authorization-advices", { amount: 100 })).body.data;
    const late = { kind: "authorization", eventId: "late", authorizationId, amount: 99_999 } as const;
    await applyEvent(cardChanges, { ...late, programId, cardId });
    expect((await view(authorizationId)).body.data).toEqual({
      ...{ ...notAsked, outcome: "declined", amount: 0, reason: "INSUFFICIENT_FUNDS" },
    });
  });

  it("has the decisions on increments of an authorization that the network approved itself", async () => {
    const { programId, onCard, onHold, view } = await given();
    const receiver = await givenReceiver(programId, () => decline);
    const { authorizationId } = (await onCard("authorization-advices", { amount: 100 })).body.data;
    await onHold(authorizationId, "increment", { amount: 40 });
    receiver.answer(approve);
    await onHold(authorizationId, "increment", { amount: 30 });
    const { increments, ...own } = (await view(authorizationId)).body.data;
    expect(own).toEqual({ ...notAsked, outcome: "approved" });
    expect(increments).toMatchObject([
      { decidedBy: "receiver", outcome: "declined", amount: 0, reason: "not today" },
      { decidedBy: "receiver", outcome: "approved", amount: 30 },
    ]);
  });

  it("is 404 while the question is open, and for what the network has not asked", async () => {
    const { programId, onCard, view } = await given();
    const open = heldBack();
    await givenReceiver(programId, open.answer);
    const answered = onCard("authorizations", { amount: 100 });
    const { authorizationId } = await open.asked;
    expect((await view(authorizationId)).status).toBe(404);
    open.reply({ kind: "approve", amountMinor: 40 });
    await answered;
    expect((await view(authorizationId)).body.data).toMatchObject({ outcome: "approved", amount: 40 });
    expect((await view("none")).status).toBe(404);
    moveClock(lapsedMs);
    const advice = await onCard("authorization-advices", { amount: 100 });
    expect((await view(advice.body.data.authorizationId)).status).toBe(404);
  });
});
