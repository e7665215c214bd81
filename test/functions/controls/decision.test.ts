import { expect, test } from "vitest";
import { handler } from "../../../functions/controls/handler.ts";
import { apiEvent } from "../../harness/api-event.ts";
import { approve, givenReceiver } from "../../harness/given-receiver.ts";
import { replay } from "../../harness/replay.ts";
import { givenSandbox } from "../sandbox/given-sandbox.ts";

/** What becomes of decisions else is in scenarios.txt. */
async function given() {
  const { programId, onCard } = await givenSandbox();
  const decide = async () => {
    const { authorizationId } = (await onCard("authorizations", { amount: 100 })).body.data;
    const route = "GET /authorizations/{authorizationId}/decision";
    return async () =>
      (await replay(handler, apiEvent({ route, path: { authorizationId }, caller: { programId } }))).body
        .data;
  };
  return { programId, decide };
}

test("a decision has its times in order", async () => {
  const { programId, decide } = await given();
  await givenReceiver(programId, approve);
  const { receivedAt, askedAt, answeredAt, decidedAt } = await (await decide())();
  const times = [receivedAt, askedAt, answeredAt, decidedAt];
  expect(times).toEqual(times.toSorted());
});

test("a decision has why the stand-in decided, and the answer that came late", async () => {
  const { programId, decide } = await given();
  const askedAt = new Date().toISOString();
  const late = Promise.resolve({ decision: "approve" as const, at: askedAt });
  const reply = { kind: "timeout", detail: "no answer within 480 ms" } as const;
  await givenReceiver(programId, () => ({ asked: true, reply, askedAt, late, recorded: late }));
  const shown = await decide();
  // It is noted beside the answer to the network, which does not wait for that.
  await expect.poll(shown).toHaveProperty("lateAnswer", { decision: "approve", at: askedAt });
  const decision = await shown();
  expect(decision).toMatchObject({ decidedBy: "stand_in", outcome: "declined", reason: "timeout" });
  expect(decision).toMatchObject({ detail: reply.detail });
  expect(decision.answeredAt).toBeUndefined();
});
