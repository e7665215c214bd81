import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { webhookKey } from "../../../shared/table/webhook-keys.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { type Receiver, startReceiver } from "../../harness/receiver.ts";
import { storedItem } from "../../harness/stored.ts";
import { type GivenWebhooks, givenWebhooks } from "../given-webhooks.ts";

const hour = 3_600_000;

describe("the delivery of a notification", () => {
  let queues: QueueRecorder;
  let receiver: Receiver;
  let given: GivenWebhooks;
  let webhook: { webhookId: string; secret: string };
  let transIdSc: string;

  beforeAll(async () => {
    queues = await startQueueRecorder();
    receiver = await startReceiver();
    Object.assign(process.env, { DNS_SERVERS: "127.0.0.1:9", ALLOWED_RECEIVERS: receiver.origin });
  });
  afterAll(() => Promise.all([queues.stop(), receiver.stop()]));
  beforeEach(async () => {
    given = await givenWebhooks(queues);
    webhook = await given.register({ url: `${receiver.origin}/hook`, eventTypes: [1, 2, 3, 4] });
    transIdSc = await given.notify();
    await given.fan(await given.events());
    receiver.behave((_, response) => response.writeHead(204).end());
  });
  afterEach(() => {
    vi.useRealTimers();
    queues.sent.splice(0);
  });

  const attempts = async () => {
    const path = { transIdSc };
    const query = { sort: "asc" };
    const { body } = await given.call("GET /webhooks/events/{transIdSc}/attempts", { path, query });
    return body.items;
  };
  const ours = () => receiver.received.filter(({ headers }) => headers["webhook-id"] === transIdSc);
  const answer = (status: number) => receiver.behave((_, response) => response.writeHead(status).end());
  /** Moves this process's clock, timers aside. */
  const moveClock = (ms: number) => {
    const at = Date.now() + ms;
    vi.useFakeTimers({ toFake: ["Date"], now: at, shouldAdvanceTime: true });
  };

  it("sends the stored bytes, signed so that the standard's own package verifies them", async () => {
    await given.deliver("detour");
    const [received, ...more] = ours();
    expect(more).toEqual([]);
    const stored = await storedItem(webhookKey.notification(given.programId, transIdSc));
    expect(received?.body.toString("utf8")).toBe(stored?.body);
    expect(
      createHash("sha256")
        .update(received?.body ?? "")
        .digest("hex"),
    ).toBe(stored?.bodySha256);
    expect(received?.headers).toMatchObject({ "content-type": "application/json", "webhook-id": transIdSc });
    const verified = new Webhook(webhook.secret).verify(received?.body ?? "", received?.headers ?? {});
    expect(verified).toMatchObject({ TransId_SC: transIdSc, TransResult: 12 });
    expect(() =>
      new Webhook("whsec_d3Jvbmc=").verify(received?.body ?? "", received?.headers ?? {}),
    ).toThrow();
  });

  it("is recorded with time, status, latency and the body's hash", async () => {
    await given.deliver("detour");
    const stored = await storedItem(webhookKey.notification(given.programId, transIdSc));
    expect(await attempts()).toEqual([
      {
        webhookId: webhook.webhookId,
        deliveryId: expect.stringMatching(/^evt_/),
        attempt: 1,
        delivered: true,
        responseStatus: 204,
        latencyMs: expect.any(Number),
        bodySha256: stored?.bodySha256,
        dateCreated: expect.any(String),
      },
    ]);
    expect(queues.sent).toEqual([]);
  });

  it("is made once for copies of its message, at the same time or later", async () => {
    const { taken } = await given.deliver("detour");
    const bodies = taken.map(({ body }) => body);
    expect(bodies).toHaveLength(1);
    await given.deliverMessages("detour", bodies);
    expect(ours()).toHaveLength(1);
    expect(await attempts()).toHaveLength(1);
  });

  it("is signed by both secrets for 24 hours after a rotation, then by the new one", async () => {
    const path = { webhookId: webhook.webhookId };
    const rotated = (await given.call("POST /webhooks/{webhookId}/rotate-secret", { path })).body.data;
    const messages = queues.take("detour").map(({ body }) => body);
    await given.deliverMessages("detour", messages);
    const [received] = ours();
    for (const secret of [webhook.secret, rotated.secret]) {
      new Webhook(secret).verify(received?.body ?? "", received?.headers ?? {});
    }
    moveClock(24 * hour + 1_000);
    await given.deliverMessages(
      "detour",
      messages.map((body) => ({ ...body, deliveryId: "evt_AGAIN" })),
    );
    const last = ours().at(-1);
    expect(last?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    new Webhook(rotated.secret).verify(last?.body ?? "", last?.headers ?? {});
    expect(last?.body.equals(received?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    ["a status other than 2xx", () => answer(500), { responseStatus: 500 }],
    ["a redirect", () => answer(302), { responseStatus: 302 }],
    [
      "a reset connection",
      () => receiver.behave((_, response) => response.socket?.destroy()),
      { error: "CONNECTION_LOST" },
    ],
  ])("is tried again five seconds after %s", async (_, misbehave, record) => {
    misbehave();
    await given.deliver("detour");
    expect(await attempts()).toMatchObject([{ attempt: 1, delivered: false, ...record }]);
    const [retry, ...more] = queues.sent;
    expect(more).toEqual([]);
    expect(retry).toMatchObject({ queue: "detour", groupId: webhook.webhookId, body: { attempt: 2 } });
    expect(retry?.delaySeconds).toBeGreaterThanOrEqual(5);
    expect(retry?.delaySeconds).toBeLessThanOrEqual(6);
    answer(200);
    await given.deliver("detour");
    expect((await attempts()).map(({ delivered }: { delivered: boolean }) => delivered)).toEqual([
      false,
      true,
    ]);
    const [first, second] = ours();
    expect(first?.body.equals(second?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it("is tried ten times over three days: short waits in the queue, long ones as deadlines, then given up", async () => {
    answer(503);
    const waits: number[] = [];
    for (let made = 1; made <= 10; made += 1) {
      await given.deliver("detour");
      const last = (await attempts()).at(-1);
      expect(last.attempt).toBe(made);
      if (last.nextAttemptAt === undefined) break;
      const waitMs = Date.parse(last.nextAttemptAt) - Date.parse(last.dateCreated);
      waits.push(waitMs / 1_000);
      const isQueued = queues.sent.some(({ queue }) => queue === "detour");
      expect(isQueued).toBe(waitMs <= 900_000);
      moveClock(waitMs + 1);
      if (!isQueued) await sweep(() => true);
    }
    const expected = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400];
    expect(waits).toHaveLength(expected.length);
    for (const [index, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(expected[index] ?? 0);
      expect(wait).toBeLessThanOrEqual((expected[index] ?? 0) * 1.1 + 1);
    }
    expect(ours()).toHaveLength(10);
    expect(new Set(ours().map(({ body }) => body.toString("base64"))).size).toBe(1);
    expect(queues.take("detour")).toEqual([]);
    const [dead, ...more] = queues.take("dead-letters");
    expect(more).toEqual([]);
    // It says still which request it goes back to, over queues and deadlines.
    expect(dead?.body).toMatchObject({ cause: { requestId: "00000000-0000-4000-8000-000000000000" } });
    // What is put back into the queue from there is tried once more.
    answer(200);
    await given.deliverMessages("detour", [dead?.body]);
    expect((await attempts()).at(-1)).toMatchObject({ attempt: 11, delivered: true });
  });

  it("that meets a 410 turns the endpoint off, and nothing more is sent to it", async () => {
    answer(410);
    await given.deliver("detour");
    expect(queues.sent).toEqual([]);
    const path = { webhookId: webhook.webhookId };
    expect((await given.call("GET /webhooks/{webhookId}", { path })).body.data.active).toBe(false);
    await given.notify();
    await given.fan(await given.events());
    expect(queues.sent).toEqual([]);
    await given.call("PUT /webhooks/{webhookId}", { path, body: { active: true } });
    await given.notify();
    await given.fan(await given.events());
    expect(queues.sent).toHaveLength(1);
  });

  it("is dropped where the endpoint is off or deleted by then", async () => {
    const messages = queues.take("detour").map(({ body }) => body);
    const path = { webhookId: webhook.webhookId };
    await given.call("PUT /webhooks/{webhookId}", { path, body: { active: false } });
    await given.deliverMessages("detour", messages);
    await given.call("DELETE /webhooks/{webhookId}", { path });
    await given.deliverMessages("detour", messages);
    expect(ours()).toEqual([]);
    expect(queues.sent).toEqual([]);
  });

  it("to a URL that has come to lead inside is refused, and tried again", async () => {
    process.env.ALLOWED_RECEIVERS = "";
    await given.deliver("detour");
    process.env.ALLOWED_RECEIVERS = receiver.origin;
    expect(await attempts()).toMatchObject([{ delivered: false, error: "RECEIVER_REFUSED" }]);
    expect(ours()).toEqual([]);
    await given.deliver("detour");
    expect(ours()).toHaveLength(1);
  });

  it("keeps a malformed message from harming the others of its batch", async () => {
    const messages = queues.take("detour").map(({ body }) => body);
    const { batchItemFailures } = await given.deliverMessages("detour", [{ attempt: 0 }, ...messages]);
    expect(batchItemFailures).toEqual([{ itemIdentifier: "message-0" }]);
    expect(ours()).toHaveLength(1);
  });
});
