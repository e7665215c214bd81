import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { maximumBodyBytes } from "../../../functions/connection-webhooks/receive.ts";
import { type GivenProgram, givenCard, givenProgram } from "../../harness/given-cards.ts";
import { basicAuthorization, marqetaTransaction, marqetaWebhook } from "../../harness/marqeta-messages.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { refusedOf } from "../../harness/refused.ts";
import { postTo as post } from "../../harness/scenarios/deeds.ts";
import { type GivenConnection, givenConnection } from "./given-connection.ts";

let program: GivenProgram;
let connection: GivenConnection;
let queues: QueueRecorder;
let cardToken: string;

beforeAll(async () => {
  queues = await startQueueRecorder();
  program = await givenProgram();
  connection = await givenConnection(program, { port: "processor", adapter: "marqeta" });
  const { cardId } = await givenCard(program);
  ({ cardToken } = (await program.call("GET /cards/{cardId}", { path: { cardId } })).body.data);
});
afterAll(() => queues.stop());

const send = (body: string) => connection.post(body, basicAuthorization(connection.secret));
const refused = () => refusedOf(program);

describe("a webhook of the card processor", () => {
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
});
