import { describe, expect, it, vi } from "vitest";
import { endpointHealth, endpointSlots } from "../../../shared/notifications/delivery/endpoint.ts";
import { type DynamoCall, firstCalls, injectFaults } from "../../harness/faults.ts";
import { givenCustomer, givenNotification, moveClock } from "../../harness/given-customer.ts";
import { storedItem } from "../../harness/stored.ts";

const isRecord = ({ command }: DynamoCall) =>
  ["BatchWriteItem", "PutItem", "TransactWriteItems"].includes(command);

describe("the delivery of a notification if something fails or is slow", () => {
  const customer = givenCustomer();
  const notification = givenNotification(customer);
  const health = () =>
    storedItem(endpointHealth.key(notification.given.programId, notification.webhook.webhookId));

  it("keeps its message if reads fail, and loses nothing if writes fail", async () => {
    const messages = customer.queues.take("slow").map(({ body }) => body);
    {
      using _ = injectFaults(({ command }) => (command === "BatchGetItem" ? "server-error" : undefined));
      const { batchItemFailures } = await notification.given.deliverMessages("slow", messages);
      expect(batchItemFailures).toHaveLength(1);
    }
    {
      using _ = injectFaults(firstCalls(100, "server-error", isRecord));
      const { batchItemFailures } = await notification.given.deliverMessages("slow", messages);
      expect(batchItemFailures).toHaveLength(1);
    }
    moveClock(60_000);
    expect((await notification.given.deliverMessages("slow", messages)).batchItemFailures).toEqual([]);
    expect(await notification.attempts()).toMatchObject([{ attempt: 1, delivered: true }]);
  });

  it("is not sent again if only the answer to the write of its record was lost", async () => {
    const messages = customer.queues.take("slow").map(({ body }) => body);
    using faults = injectFaults(firstCalls(1, "timeout-after-commit", isRecord));
    expect((await notification.given.deliverMessages("slow", messages)).batchItemFailures).toEqual([]);
    expect(faults.calls.filter(({ fault }) => fault)).toHaveLength(1);
    expect(await notification.attempts()).toMatchObject([{ attempt: 1, delivered: true }]);
    expect(notification.received()).toHaveLength(1);
  });

  it("schedules the next attempt even if it was killed after it recorded the previous one", async () => {
    customer.answer(500);
    const messages = customer.queues.take("slow").map(({ body }) => body);
    customer.queues.refuse(1);
    expect((await notification.given.deliverMessages("slow", messages)).batchItemFailures).toHaveLength(1);
    expect(customer.queues.sent).toEqual([]);
    expect((await notification.given.deliverMessages("slow", messages)).batchItemFailures).toEqual([]);
    expect(customer.queues.sent).toMatchObject([{ queue: "slow", body: { attempt: 2 } }]);
    expect(notification.received()).toHaveLength(1);
  });

  it("uses the common queue once the endpoint has answered, and the slow queue while it fails", async () => {
    await notification.given.deliver("slow");
    await notification.given.notify();
    await notification.given.fanOut();
    expect(customer.queues.sent).toMatchObject([{ queue: "callbacks" }]);
    await notification.given.deliver("callbacks");
    customer.answer(500);
    for (let failures = 1; failures <= 3; failures += 1) {
      await notification.given.notify();
      await notification.given.fanOut();
      const [first] = customer.queues.take("callbacks");
      expect(first, `after ${failures - 1} failures`).toBeDefined();
      await notification.given.deliverMessages("callbacks", [first?.body]);
    }
    customer.queues.sent.splice(0);
    await notification.given.notify();
    await notification.given.fanOut();
    expect(customer.queues.sent).toMatchObject([{ queue: "slow" }]);
    // What was put with everyone else's before that moves over, without an attempt.
    const before = customer.receiver.received.length;
    const [message] = customer.queues.take("slow");
    await notification.given.deliverMessages("callbacks", [message?.body]);
    expect(customer.receiver.received.length).toBe(before);
    expect(customer.queues.sent).toMatchObject([{ queue: "slow", delaySeconds: 0 }]);
    customer.answer(200);
    await notification.given.deliver("slow");
    expect(await health()).toMatchObject({ provenAt: expect.any(String) });
    expect((await health())?.failures).toBeUndefined();
  });

  it("has one slot at a failing endpoint and four at a new one, shared by all workers", async () => {
    const messages = Array.from({ length: 12 }, (_, index) => ({
      ...customer.queues.sent[0]?.body,
      deliveryId: `evt_${index}`,
    }));
    customer.queues.sent.splice(0);
    let underWay = 0;
    let most = 0;
    const answerOnce = (isTime: () => boolean) =>
      customer.receiver.behave(async (_, response) => {
        underWay += 1;
        most = Math.max(most, underWay);
        await vi.waitFor(() => expect(isTime()).toBe(true), { timeout: 60_000 });
        underWay -= 1;
        response.writeHead(500).end();
      });
    const deferred = () => customer.queues.sent.filter(({ body }) => body.deferrals === 1);
    // All places are taken, and the other messages are back in the queue.
    answerOnce(() => notification.received().length === 4 && deferred().length === 8);
    await Promise.all(
      [messages.slice(0, 6), messages.slice(6)].map((half) =>
        notification.given.deliverMessages("slow", half),
      ),
    );
    expect(most).toBe(4);
    expect(deferred()).toHaveLength(8);
    expect(deferred().every(({ delaySeconds = 0 }) => delaySeconds >= 1)).toBe(true);
    expect(notification.received()).toHaveLength(4);
    most = 0;
    const again = deferred().map(({ body }) => body);
    const putBefore = customer.queues.sent.length;
    answerOnce(() => customer.queues.sent.length === putBefore + 7);
    await notification.given.deliverMessages("slow", again);
    expect(most).toBe(1);
    const slots = await storedItem(
      endpointSlots.key(notification.given.programId, notification.webhook.webhookId),
    );
    expect(slots?.underWay).toBe(0);
  });

  it.each(["new", "proven"])("leaves no health of a %s endpoint that is deleted meanwhile", async (state) => {
    if (state === "proven") {
      await notification.given.deliver("slow");
      await notification.given.notify();
      await notification.given.fanOut();
    }
    customer.receiver.behave(async (_, response) => {
      const path = { webhookId: notification.webhook.webhookId };
      await notification.given.call("DELETE /webhooks/{webhookId}", { path });
      response.writeHead(500).end();
    });
    const { taken } = await notification.given.deliver(state === "proven" ? "callbacks" : "slow");
    expect(taken).toHaveLength(1);
    expect(await health()).toBeUndefined();
  });

  it("marks a slow endpoint as slow while it waits for the answer", async () => {
    await notification.given.deliver("slow");
    const { promise, resolve } = Promise.withResolvers<void>();
    customer.receiver.behave((_, response) => void promise.then(() => response.writeHead(200).end()));
    await notification.given.notify();
    await notification.given.fanOut();
    const delivering = notification.given.deliver("callbacks");
    await vi.waitFor(async () => expect((await health())?.slowSince).toBeDefined(), { timeout: 60_000 });
    await notification.given.notify();
    await notification.given.fanOut();
    expect(customer.queues.sent).toMatchObject([{ queue: "slow" }]);
    resolve();
    await delivering;
    customer.receiver.behave((_, response) => response.writeHead(200).end());
    await notification.given.deliver("slow");
    expect((await health())?.slowSince).toBeUndefined();
  });
});
