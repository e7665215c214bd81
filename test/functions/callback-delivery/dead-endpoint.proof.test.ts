import { beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { endpointHealth } from "../../../shared/notifications/delivery/endpoint.ts";
import { deadlines } from "../../../shared/platform/deadlines.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenCustomer, givenNotification, moveClock } from "../../harness/given-customer.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const writes = /PutItem|UpdateItem|DeleteItem|TransactWriteItems/;

describe("an endpoint that only fails", () => {
  const customer = givenCustomer();
  const notification = givenNotification(customer);
  let copies = 0;
  let first: object | undefined;

  /** Deliveries of their own of the same notification. */
  const messages = (count: number, more: object = {}) =>
    Array.from({ length: count }, () => ({ ...first, ...more, deliveryId: `evt_${++copies}` }));
  const send = (bodies: readonly unknown[]) => notification.given.deliverMessages("slow", bodies);
  const sends = () => notification.received().length;
  const path = () => ({ webhookId: notification.webhook.webhookId });
  const view = async () =>
    (await notification.given.call("GET /webhooks/{webhookId}", { path: path() })).body.data;
  const health = () =>
    storedItem(endpointHealth.key(notification.given.programId, notification.webhook.webhookId));
  const decision = () =>
    storedItem(deadlines.key(notification.given.programId, notification.webhook.webhookId));
  const disablings = async () =>
    (await storedItems(notification.given.programId)).filter(({ kind }) => kind === "webhook.disabled");

  /** Three failures and the first probe, and another probe so much later. */
  const failFor = async (ms: number) => {
    customer.answer(500);
    for (let count = 0; count < 4; count += 1) await send(messages(1));
    moveClock(ms);
    await send(messages(1));
    customer.queues.sent.splice(0);
  };

  const queued: unknown[] = [];
  /** What the platform does at a time: sweeps, then delivers what is queued, whatever its delay. */
  const step = async () => {
    await sweep(() => true);
    for (const { body } of customer.queues.take("slow")) {
      if (body.endpointId === path().webhookId) queued.push(body);
    }
    if (queued.length > 0) await send(queued.splice(0));
  };

  /** Fails one notification's delivery, with no other on its way, for as long as it is tried. */
  const failAlone = async (ms: number) => {
    customer.answer(503);
    queued.push(first);
    const until = Date.now() + ms;
    for (let attempt = 1; attempt <= 3; attempt += 1) await step();
    moveClock(34 * minute);
    while (Date.now() < until) {
      await step();
      moveClock(Math.min(hour, until - Date.now()));
    }
  };

  beforeEach(() => {
    first = customer.queues.take("slow")[0]?.body;
  });

  it("gets one probe, and other deliveries wait without a write", async () => {
    await failFor(minute);
    const before = sends();
    using faults = injectFaults(() => undefined);
    await send(messages(20));
    expect(sends()).toBe(before);
    expect(faults.calls.filter(({ command }) => writes.test(command))).toEqual([]);
    expect(customer.queues.sent).toHaveLength(20);
    expect(customer.queues.sent.every(({ body }) => body.attempt === 1 && body.deferrals === 1)).toBe(true);
    moveClock(minute);
    await Promise.all([send(messages(10)), send(messages(10))]);
    expect(sends()).toBe(before + 1);
  });

  it("costs a batch of waiting deliveries one read of distinct items and one request that puts all back", async () => {
    await failFor(minute);
    const before = customer.queues.requests();
    using faults = injectFaults(() => undefined);
    await send(messages(10));
    expect(faults.calls.map(({ command }) => command)).toEqual(["BatchGetItem"]);
    const read = (faults.calls[0]?.input.RequestItems ?? {}) as Record<string, { Keys: object[] }>;
    const keys = Object.values(read).flatMap(({ Keys }) => Keys.map((key) => JSON.stringify(key)));
    // Notification, endpoint and health once, and an attempt for each.
    expect(keys).toHaveLength(3 + 10);
    expect(new Set(keys).size).toBe(keys.length);
    expect(customer.queues.requests()).toBe(before + 1);
    expect(customer.queues.take("slow")).toHaveLength(10);
  });

  it("counts each probe as an attempt of every delivery after an hour; each keeps its own schedule", async () => {
    await failFor(2 * hour);
    const before = sends();
    await send(messages(3));
    expect(customer.queues.take("slow").map(({ body }) => body.attempt)).toEqual([2, 2, 2]);
    const [third] = messages(1, { attempt: 3 });
    await send([third, third]);
    expect(customer.queues.take("slow")).toEqual([]);
    expect(sends()).toBe(before);
    customer.answer(204);
    moveClock(34 * minute);
    await sweep(() => true);
    await notification.given.deliver("slow");
    expect(sends()).toBe(before + 1);
    expect((await notification.attempts()).at(-1)).toMatchObject({ attempt: 4, delivered: true });
    expect((await health())?.failingSince).toBeUndefined();
  });

  it("gives a delivery up only after a probe that came after its last attempt was due", async () => {
    await failFor(2 * hour);
    const before = sends();
    const [last] = messages(1, { attempt: 10 });
    await send([last]);
    const [waiting] = customer.queues.take("slow");
    expect(waiting?.body).toMatchObject({ attempt: 10, deferrals: 1 });
    expect(waiting?.delaySeconds).toBeLessThanOrEqual(900);
    moveClock(16 * minute);
    await send(messages(1));
    customer.queues.sent.splice(0);
    await send([waiting?.body]);
    expect(customer.queues.sent).toMatchObject([{ queue: "dead-letters", body: { attempt: 11 } }]);
    expect(sends()).toBe(before + 1);
  });

  it("is switched off after five days, once, and its waiting deliveries end", async () => {
    await failFor(5 * day - minute);
    expect(await view()).toMatchObject({ active: true });
    moveClock(16 * minute);
    await Promise.all([send(messages(5)), send(messages(5))]);
    expect(await view()).toMatchObject({
      active: false,
      disabledReason: "FAILING",
      disabledAt: expect.any(String),
    });
    expect(await disablings()).toMatchObject([{ detail: { ...path(), reason: "FAILING" } }]);
    customer.queues.sent.splice(0);
    const before = sends();
    using faults = injectFaults(() => undefined);
    await send(messages(10));
    expect(faults.calls.filter(({ command }) => writes.test(command))).toEqual([]);
    expect(customer.queues.sent).toEqual([]);
    expect(sends()).toBe(before);
  });

  it("is switched off after five days even if nothing new is sent to it, and its Tenant is alerted once", async () => {
    await failAlone(5 * day - hour);
    expect(customer.queues.sent.map(({ queue }) => queue)).toContain("dead-letters");
    expect(await view()).toMatchObject({ active: true });
    moveClock(2 * hour);
    await step();
    await step();
    expect(await view()).toMatchObject({ active: false, disabledReason: "FAILING" });
    expect(await disablings()).toMatchObject([{ detail: { ...path(), reason: "FAILING" } }]);
    expect(await decision()).toBeUndefined();
  });

  it("has one first probe and one deadline five days later if several deliveries race", async () => {
    customer.answer(503);
    for (let count = 0; count < 3; count += 1) await send(messages(1));
    const before = sends();
    await Promise.all([send(messages(5)), send(messages(5))]);
    expect(sends()).toBe(before + 1);
    const since = Date.parse(String((await health())?.failingSince));
    const dueAt = new Date(since + 5 * day).toISOString();
    expect(String((await decision())?.dueAt).startsWith(dueAt)).toBe(true);
  });

  it("stays on if it was repaired meanwhile, and a much later failure counts as the first", async () => {
    await failAlone(4 * day);
    const before = sends();
    customer.answer(204);
    moveClock(day + hour);
    await step();
    await step();
    expect(sends()).toBe(before + 1);
    expect((await health())?.failingSince).toBeUndefined();
    moveClock(15 * day);
    customer.answer(503);
    await send(messages(1));
    expect(await view()).toMatchObject({ active: true });
    expect(await health()).toMatchObject({ failures: 1 });
  });

  it("has five new days if it recovers and fails again", async () => {
    await failFor(minute);
    customer.answer(204);
    moveClock(4 * day);
    await send(messages(1));
    await failFor(minute);
    moveClock(2 * day);
    const before = sends();
    await step();
    await step();
    expect(sends()).toBe(before);
    expect(await view()).toMatchObject({ active: true });
    moveClock(3 * day);
    await step();
    await step();
    expect(await view()).toMatchObject({ active: false });
  });

  it.each([
    [
      "switched on again",
      () => notification.given.call("PUT /webhooks/{webhookId}", { path: path(), body: { active: true } }),
    ],
    ["deleted", () => notification.given.call("DELETE /webhooks/{webhookId}", { path: path() })],
  ])("that is %s meanwhile is sent nothing when its five days are over", async (_, change) => {
    await failFor(minute);
    await change();
    moveClock(5 * day);
    const before = sends();
    await step();
    await step();
    expect(sends()).toBe(before);
    expect(await decision()).toBeUndefined();
    expect(await disablings()).toEqual([]);
  });

  it("stays on if one delivery in between succeeded", async () => {
    await failFor(3 * day);
    moveClock(hour);
    customer.answer(204);
    await send(messages(1));
    await failFor(3 * day);
    expect(await view()).toMatchObject({ active: true });
    expect(await disablings()).toEqual([]);
  });

  it("after it is switched on again, earlier failures never switch it off", async () => {
    await failFor(6 * day);
    expect((await view()).active).toBe(false);
    const on = { path: path(), body: { active: true } };
    const { data } = (await notification.given.call("PUT /webhooks/{webhookId}", on)).body;
    expect(data).toMatchObject({ active: true });
    expect(data).not.toHaveProperty("disabledReason");
    await send(messages(4));
    expect(await view()).toMatchObject({ active: true });
    expect(await disablings()).toHaveLength(1);
  });
});
