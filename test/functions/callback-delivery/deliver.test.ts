import { createHash } from "node:crypto";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { disablingWrites, endpoints } from "../../../shared/notifications/delivery/endpoint.ts";
import { readNotification } from "../../../shared/notifications/stored-notification.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import { givenCustomer, givenNotification, moveClock } from "../../harness/given-customer.ts";
import { measure } from "../../harness/measure.ts";

const hour = 3_600_000;

describe("the delivery of a notification", () => {
  const customer = givenCustomer();
  const notification = givenNotification(customer);

  it("sends the stored bytes, signed so that the standard's own package verifies them", async () => {
    await notification.given.deliver("slow");
    const [received, ...more] = notification.received();
    expect(more).toEqual([]);
    const stored = await readNotification(notification.given.programId, notification.transIdSc);
    expect(received?.body.toString("utf8")).toBe(stored?.body);
    expect(
      createHash("sha256")
        .update(received?.body ?? "")
        .digest("hex"),
    ).toBe(stored?.bodySha256);
    expect(received?.headers).toMatchObject({
      "content-type": "application/json",
      "webhook-id": notification.transIdSc,
    });
    const verified = new Webhook(notification.webhook.secret).verify(
      received?.body ?? "",
      received?.headers ?? {},
    );
    expect(verified).toMatchObject({ TransId_SC: notification.transIdSc, TransResult: 12 });
    expect(() =>
      new Webhook("whsec_d3Jvbmc=").verify(received?.body ?? "", received?.headers ?? {}),
    ).toThrow();
  });

  it("is recorded with time, status, latency and the body's hash", async () => {
    await notification.given.deliver("slow");
    const stored = await readNotification(notification.given.programId, notification.transIdSc);
    expect(await notification.attempts()).toEqual([
      {
        webhookId: notification.webhook.webhookId,
        deliveryId: expect.stringMatching(/^evt_/),
        attempt: 1,
        delivered: true,
        responseStatus: 204,
        latencyMs: expect.any(Number),
        bodySha256: stored?.bodySha256,
        dateCreated: expect.any(String),
      },
    ]);
    expect(customer.queues.sent).toEqual([]);
  });

  it("is sent once for all copies of its message, simultaneous or later", async () => {
    const { taken } = await notification.given.deliver("slow");
    const bodies = taken.map(({ body }) => body);
    expect(bodies).toHaveLength(1);
    await notification.given.deliverMessages("slow", bodies);
    expect(notification.received()).toHaveLength(1);
    expect(await notification.attempts()).toHaveLength(1);
  });

  it("is signed by all secrets for 24 hours after two rotations, then by the new one", async () => {
    const path = { webhookId: notification.webhook.webhookId };
    const rotate = async () =>
      (await notification.given.call("POST /webhooks/{webhookId}/rotate-secret", { path })).body.data.secret;
    // The first one's answer is lost: the receiver has the registered secret still.
    const secrets = [notification.webhook.secret, await rotate(), await rotate()];
    const messages = customer.queues.take("slow").map(({ body }) => body);
    await notification.given.deliverMessages("slow", messages);
    const [received] = notification.received();
    for (const secret of secrets) new Webhook(secret).verify(received?.body ?? "", received?.headers ?? {});
    moveClock(24 * hour + 1_000);
    await notification.given.deliverMessages(
      "slow",
      messages.map((body) => ({ ...body, deliveryId: "evt_AGAIN" })),
    );
    const last = notification.received().at(-1);
    expect(last?.headers["webhook-signature"]?.split(" ")).toHaveLength(1);
    new Webhook(secrets[2] ?? "").verify(last?.body ?? "", last?.headers ?? {});
    expect(last?.body.equals(received?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it.each([
    ["a status other than 2xx", () => customer.answer(500), { responseStatus: 500 }],
    ["a redirect", () => customer.answer(302), { responseStatus: 302 }],
    [
      "a reset connection",
      () => customer.receiver.behave((_, response) => response.socket?.destroy()),
      { error: "CONNECTION_LOST" },
    ],
  ])("is tried again five seconds after %s", async (_, misbehave, record) => {
    misbehave();
    await notification.given.deliver("slow");
    expect(await notification.attempts()).toMatchObject([{ attempt: 1, delivered: false, ...record }]);
    const [retry, ...more] = customer.queues.sent;
    expect(more).toEqual([]);
    expect(retry).toMatchObject({
      queue: "slow",
      groupId: notification.webhook.webhookId,
      body: { attempt: 2 },
    });
    expect(retry?.delaySeconds).toBeGreaterThanOrEqual(5);
    expect(retry?.delaySeconds).toBeLessThanOrEqual(6);
    customer.answer(200);
    await notification.given.deliver("slow");
    expect((await notification.attempts()).map(({ delivered }: { delivered: boolean }) => delivered)).toEqual(
      [false, true],
    );
    const [first, second] = notification.received();
    expect(first?.body.equals(second?.body ?? Buffer.alloc(0))).toBe(true);
  });

  it("is attempted ten times in three days: short waits in the queue, long ones as deadlines, then dead letters", async () => {
    customer.answer(503);
    const waits: number[] = [];
    for (let made = 1; made <= 10; made += 1) {
      await notification.given.deliver("slow");
      const last = (await notification.attempts()).at(-1);
      expect(last.attempt).toBe(made);
      if (last.nextAttemptAt === undefined) break;
      const waitMs = Date.parse(last.nextAttemptAt) - Date.parse(last.dateCreated);
      waits.push(waitMs / 1_000);
      const isQueued = customer.queues.sent.some(({ queue }) => queue === "slow");
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
    expect(notification.received()).toHaveLength(10);
    expect(new Set(notification.received().map(({ body }) => body.toString("base64"))).size).toBe(1);
    expect(customer.queues.take("slow")).toEqual([]);
    const [dead, ...more] = customer.queues.take("dead-letters");
    expect(more).toEqual([]);
    expect(dead).toMatchObject({
      groupId: notification.webhook.webhookId,
      // The request that caused it is still known, after all queues and deadlines.
      body: { cause: { requestId: "00000000-0000-4000-8000-000000000000" } },
    });
    // A redriven message is sent again when the endpoint's next probe is due.
    customer.answer(200);
    await notification.given.deliverMessages("slow", [dead?.body]);
    expect(notification.received()).toHaveLength(10);
    moveClock(16 * 60_000);
    await notification.given.deliver("slow");
    expect((await notification.attempts()).at(-1)).toMatchObject({ attempt: 11, delivered: true });
  });

  it("switches the endpoint off after a 410, and sends nothing more to it", async () => {
    customer.answer(410);
    await notification.given.deliver("slow");
    expect(customer.queues.sent).toEqual([]);
    const path = { webhookId: notification.webhook.webhookId };
    expect((await notification.given.call("GET /webhooks/{webhookId}", { path })).body.data.active).toBe(
      false,
    );
    await notification.given.notify();
    await notification.given.fanOut();
    expect(customer.queues.sent).toEqual([]);
    await notification.given.call("PUT /webhooks/{webhookId}", { path, body: { active: true } });
    await notification.given.notify();
    await notification.given.fanOut();
    expect(customer.queues.sent).toHaveLength(1);
  });

  it("switches its endpoint off once, and never after a change of the URL", async () => {
    const { programId } = notification.given;
    const { webhookId } = notification.webhook;
    const { url } = await endpoints.at(programId, webhookId).require();
    const disable = (from: string) => {
      const endpoint = {
        programId,
        webhookId,
        url: from,
        health: undefined,
        readSlots: async () => undefined,
      };
      return transact(disablingWrites(endpoint, "GONE", new Date()));
    };
    expect(await disable("https://former.example/")).toMatchObject({ committed: false });
    expect(await disable(url)).toEqual({ committed: true });
    expect(await disable(url)).toMatchObject({ committed: false });
  });

  it("is dropped if its endpoint wants no such type any more, which the relay may not know yet", async () => {
    const messages = customer.queues.take("slow").map(({ body }) => body);
    const path = { webhookId: notification.webhook.webhookId };
    const name = (eventTypes: number[]) =>
      notification.given.call("PUT /webhooks/{webhookId}", { path, body: { eventTypes } });
    await name([1, 2]);
    expect(await notification.given.deliverMessages("slow", messages)).toEqual({ batchItemFailures: [] });
    expect(notification.received()).toEqual([]);
    await name([4]);
    await notification.given.deliverMessages("slow", messages);
    expect(notification.received()).toHaveLength(1);
  });

  it("of a healthy endpoint takes one read for a batch, a write for what was answered together, and no slot", async () => {
    await notification.given.deliver("slow");
    for (let count = 0; count < 3; count += 1) await notification.given.notify();
    await notification.given.fanOut();
    const messages = customer.queues.take("callbacks").map(({ body }) => body);
    expect(messages).toHaveLength(3);
    const { cost } = await measure(() => notification.given.deliverMessages("callbacks", messages));
    const [read, ...writes] = cost.calls;
    expect(read).toBe("BatchGetItem");
    // One, but on a machine that is too busy to read three answers within some milliseconds.
    expect(new Set(writes)).toEqual(new Set(["BatchWriteItem"]));
    // For each, its notification and its attempt; the endpoint and its health.
    expect(cost.readUnits).toBe(3 * 2 + 2);
  });

  it("is dropped if its endpoint was switched off or deleted meanwhile", async () => {
    const messages = customer.queues.take("slow").map(({ body }) => body);
    const path = { webhookId: notification.webhook.webhookId };
    await notification.given.call("PUT /webhooks/{webhookId}", { path, body: { active: false } });
    await notification.given.deliverMessages("slow", messages);
    await notification.given.call("DELETE /webhooks/{webhookId}", { path });
    await notification.given.deliverMessages("slow", messages);
    expect(notification.received()).toEqual([]);
    expect(customer.queues.sent).toEqual([]);
  });

  it("stays in the queue while its notification is missing, until that has expired", async () => {
    const [message] = customer.queues.take("slow").map(({ body }) => body);
    const missing = { ...message, messageId: newId("notification") };
    const { batchItemFailures } = await notification.given.deliverMessages("slow", [missing]);
    expect(batchItemFailures).toHaveLength(1);
    moveClock(91 * 24 * hour);
    expect(await notification.given.deliverMessages("slow", [missing])).toEqual({ batchItemFailures: [] });
  });

  it("rejects a URL that now resolves to a private address, and retries", async () => {
    process.env.ALLOWED_RECEIVERS = "";
    await notification.given.deliver("slow");
    process.env.ALLOWED_RECEIVERS = customer.receiver.origin;
    expect(await notification.attempts()).toMatchObject([{ delivered: false, error: "RECEIVER_REFUSED" }]);
    expect(notification.received()).toEqual([]);
    await notification.given.deliver("slow");
    expect(notification.received()).toHaveLength(1);
  });

  it("keeps a malformed message in the queue, and delivers the others of its batch", async () => {
    const messages = customer.queues.take("slow").map(({ body }) => body);
    const { batchItemFailures } = await notification.given.deliverMessages("slow", [
      { attempt: 0 },
      ...messages,
    ]);
    expect(batchItemFailures).toEqual([{ itemIdentifier: "message-0" }]);
    expect(notification.received()).toHaveLength(1);
  });
});
