import { beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../../functions/deadlines/sweep.ts";
import { webhookKey } from "../../../shared/table/webhook-keys.ts";
import { injectFaults } from "../../harness/faults.ts";
import { storedItem, storedItems } from "../../harness/stored.ts";
import { customerForEachTest, moveClock, notificationForEachTest } from "../given-customer.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const writes = /PutItem|UpdateItem|DeleteItem|TransactWriteItems/;

describe("an endpoint that only fails", () => {
  const customer = customerForEachTest();
  const notification = notificationForEachTest(customer);
  let copies = 0;
  let first: object | undefined;

  /** Deliveries of their own of the same notification. */
  const messages = (count: number, more: object = {}) =>
    Array.from({ length: count }, () => ({ ...first, ...more, deliveryId: `evt_${++copies}` }));
  const send = (bodies: readonly unknown[]) => notification.given.deliverMessages("detour", bodies);
  const sends = () => notification.received().length;
  const path = () => ({ webhookId: notification.webhook.webhookId });
  const view = async () =>
    (await notification.given.call("GET /webhooks/{webhookId}", { path: path() })).body.data;
  const health = () =>
    storedItem(webhookKey.health(notification.given.programId, notification.webhook.webhookId));
  const disablings = async () =>
    (await storedItems(notification.given.programId)).filter(({ kind }) => kind === "webhook.disabled");

  /** Three failures, and a probe so much later. */
  const failFor = async (ms: number) => {
    customer.answer(500);
    for (let count = 0; count < 3; count += 1) await send(messages(1));
    moveClock(ms);
    await send(messages(1));
    customer.queues.sent.splice(0);
  };

  beforeEach(() => {
    first = customer.queues.take("detour")[0]?.body;
  });

  it("is sent one probe, and the others wait without a write", async () => {
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

  it("has its probe count as everyone's attempt after an hour: each waits by its own schedule", async () => {
    await failFor(2 * hour);
    const before = sends();
    await send(messages(3));
    expect(customer.queues.take("detour").map(({ body }) => body.attempt)).toEqual([2, 2, 2]);
    const [third] = messages(1, { attempt: 3 });
    await send([third, third]);
    expect(customer.queues.take("detour")).toEqual([]);
    expect(sends()).toBe(before);
    customer.answer(204);
    moveClock(34 * minute);
    await sweep(() => true);
    await notification.given.deliver("detour");
    expect(sends()).toBe(before + 1);
    expect((await notification.attempts()).at(-1)).toMatchObject({ attempt: 4, delivered: true });
    expect((await health())?.failingSince).toBeUndefined();
  });

  it("gives a delivery up only after a probe that was made when its last attempt was due", async () => {
    await failFor(2 * hour);
    const before = sends();
    const [last] = messages(1, { attempt: 10 });
    await send([last]);
    const [waiting] = customer.queues.take("detour");
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

  it("stays on where one delivery in between succeeded", async () => {
    await failFor(3 * day);
    moveClock(hour);
    customer.answer(204);
    await send(messages(1));
    await failFor(3 * day);
    expect(await view()).toMatchObject({ active: true });
    expect(await disablings()).toEqual([]);
  });

  it("that was switched on again starts anew: its former failures never switch it off", async () => {
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
