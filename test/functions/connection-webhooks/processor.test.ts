import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { maximumBodyBytes } from "../../../functions/connection-webhooks/receive.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import {
  basicAuthorization,
  jitRequest,
  marqetaTransaction,
  marqetaWebhook,
} from "../../harness/marqeta-messages.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { refusedOf } from "../../harness/refused.ts";
import { postTo as post } from "../../harness/scenarios/deeds.ts";
import { type GivenConnection, givenConnection } from "./given-connection.ts";

let program: GivenProgram;
let connection: GivenConnection;
let queues: QueueRecorder;
let cardId: string;
let cardToken: string;

beforeAll(async () => {
  queues = await startQueueRecorder();
  program = await givenProgram();
  connection = await givenConnection(program, { port: "processor", adapter: "marqeta" });
  ({ cardId } = await givenCard(program));
  await program.call("POST /cards/{cardId}/deposits", {
    path: { cardId },
    body: { amount: 10_000, pending: false },
  });
  ({ cardToken } = (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data);
});
afterAll(() => queues.stop());

const send = (body: string) => connection.post(body, basicAuthorization(connection.secret));
const refused = () => refusedOf(program);

describe("a webhook of the card processor", () => {
  it.each(["cardToken", "cardId"])(
    "is queued as the platform's events, the Card named by its %s",
    async (by) => {
      const token = by === "cardId" ? cardId : cardToken;
      const one = marqetaTransaction(token, `a-${by}`, 2_500);
      const two = marqetaTransaction(token, `r-${by}`, 300, { type: "refund", state: "COMPLETION" });
      const answer = await send(marqetaWebhook(one, two));
      expect([answer.status, answer.body]).toEqual([200, { status: "success" }]);
      expect(
        queues.take("processor").map(({ body, groupId }) => [body.kind, body.eventId, body.cardId, groupId]),
      ).toEqual([
        ["authorization_advice", `marqeta:a-${by}`, cardId, program.programId],
        ["refund", `marqeta:r-${by}`, cardId, program.programId],
      ]);
    },
  );

  it.each([
    ["no password", {}],
    ["a wrong password", basicAuthorization("wrong")],
    ["another scheme", { authorization: "Bearer x" }],
  ])("401 with %s", async (_, headers) => {
    const before = await refused();
    const answer = await connection.post(marqetaWebhook(marqetaTransaction(cardToken, "a-9", 100)), headers);
    expect([answer.status, answer.body.code]).toEqual([401, "SIGNATURE_INVALID"]);
    expect(queues.take("processor")).toEqual([]);
    expect(await refused()).toEqual(before);
  });

  it("401 for a default connection, which has no secret; 404 for an unknown one", async () => {
    const fresh = await givenProgram();
    const path = { programId: fresh.programId };
    const { body } = await fresh.call("GET /account/programs/{programId}/connections", { path });
    for (const { connectionId } of body.items)
      expect((await post(fresh.programId, connectionId, "{}", basicAuthorization(""))).status).toBe(401);
    expect((await post(fresh.programId, connection.connectionId, "{}")).status).toBe(404);
    expect((await post("prg_nothing", "x", "{}")).status).toBe(404);
  });

  it("is accepted for 24 hours under a connection that was replaced, and no longer once it is deleted", async () => {
    const fresh = await givenProgram();
    const marqeta = { port: "processor", adapter: "marqeta" };
    const [first, second, third] = [
      await givenConnection(fresh, marqeta),
      await givenConnection(fresh, marqeta),
      await givenConnection(fresh, marqeta),
    ];
    const sent = async (one: GivenConnection, secret = one.secret) =>
      (await one.post(marqetaWebhook(), basicAuthorization(secret))).status;
    expect([await sent(first), await sent(second), await sent(third)]).toEqual([200, 200, 200]);
    expect(await sent(second, third.secret)).toBe(401);
    const remove = (connectionId: string) =>
      fresh.call("DELETE /account/programs/{programId}/connections/{connectionId}", {
        path: { programId: fresh.programId, connectionId },
      });
    await remove(first.connectionId);
    expect([await sent(first), await sent(second), await sent(third)]).toEqual([404, 200, 200]);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 86_400_000 });
    expect([await sent(second), await sent(third)]).toEqual([404, 200]);
    vi.useRealTimers();
    await remove(third.connectionId);
    expect([await sent(second), await sent(third)]).toEqual([404, 404]);
  });

  it.each([
    [400, "not JSON"],
    [400, "[]"],
    [422, marqetaWebhook(marqetaTransaction("nobody", "a-1", 100))],
    [422, marqetaWebhook({ ...marqetaTransaction("nobody", "a-1", 100), type: "teleport" })],
  ])("%i, and kept without card numbers: %s", async (status, text) => {
    const number = "4000001234567899";
    const body = text.replace("nobody", number);
    const answer = await send(body);
    expect(answer.status).toBe(status);
    expect(queues.take("processor")).toEqual([]);
    const [kept] = await refused();
    expect(kept).toMatchObject({ port: "processor", reason: answer.body.errors[0].message });
    const { input } = await program.operate("view-refused", { refusedId: kept?.refusedId });
    expect(input).toBe(body.replaceAll(number, "*".repeat(16)));
  });

  it("422 for a part, and the rest is queued", async () => {
    const good = marqetaTransaction(cardToken, "a-good", 100);
    const answer = await send(marqetaWebhook(marqetaTransaction("nobody", "a-bad", 100), good));
    expect(answer.status).toBe(422);
    expect(queues.take("processor").map(({ body }) => body.eventId)).toEqual(["marqeta:a-good"]);
  });

  it("413 for a body that no processor sends", async () => {
    expect((await send("x".repeat(maximumBodyBytes + 1))).status).toBe(413);
  });

  it("500 or more if the queue fails, so that it is sent again", async () => {
    queues.refuse(1);
    const body = marqetaWebhook(marqetaTransaction(cardToken, "a-again", 100));
    expect((await send(body)).status).toBeGreaterThanOrEqual(500);
    expect((await send(body)).status).toBe(200);
    expect(queues.take("processor")).toHaveLength(1);
  });

  it("is answered with the decision if the processor waits for it; again, with the same one", async () => {
    const available = async () =>
      (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body.data.availableBalance;
    const before = await available();
    const question = jitRequest(cardToken, "j-1", 1_000);
    const first = await send(question);
    expect([first.status, first.body.jit_funding.amount]).toEqual([200, 10]);
    expect((await send(question)).body).toEqual(first.body);
    expect(await available()).toBe(before - 1_000);
    const declined = await send(jitRequest(cardToken, "j-2", 1_000_000));
    expect([declined.status, declined.body.jit_funding.decline_reason]).toEqual([402, "INSUFFICIENT_FUNDS"]);
    expect(queues.take("processor")).toEqual([]);
  });

  it("is declined and kept if the processor waits for what is not known", async () => {
    const method = "pgfs.original.credit.authorization";
    const question = jitRequest(cardToken, "j-3", 100, { method, type: "original.credit.authorization" });
    const { status, body } = await send(question);
    expect([status, body.jit_funding.decline_reason]).toEqual([402, "TRANSACTION_NOT_PERMITTED"]);
    expect((await refused())[0]).toMatchObject({
      port: "processor",
      reason: expect.stringContaining("method"),
    });
  });
});
