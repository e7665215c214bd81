import { beforeEach, describe, expect, it } from "vitest";
import { givenCustomer, moveClock } from "../../harness/given-customer.ts";
import { type GivenWebhooks, givenWebhooks } from "../../harness/given-webhooks.ts";
import { writeNotifications } from "./written-notifications.ts";

const day = 86_400_000;
const since = "2020-01-01T00:00:00.000Z";

describe("notifications that expire", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;

  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
  });

  const replayAll = async () =>
    (await given.call("POST /webhooks/events/redeliver", { body: { since } })).body.data;
  const fanRest = async () => {
    await given.fan(customer.queues.take("events").map(({ body }) => body));
    return customer.queues.take("slow").map(({ body }) => body.messageId);
  };

  it("make a running replay skip no other notification", async () => {
    await given.register({ url: `${customer.receiver.origin}/`, eventTypes: [1, 2, 3, 4] });
    await given.events();
    const made = await writeNotifications(given.programId, 150, Date.now() - 90 * day + 120_000);
    const { total, replayId } = await replayAll();
    expect(total).toBe(150);
    await given.fanOut();
    const sent = customer.queues.take("slow").map(({ body }) => body.messageId);
    moveClock(120_000);
    sent.push(...(await fanRest()));
    expect(sent.toSorted()).toEqual(made);
    await fanRest();
    const path = { replayId };
    const { body } = await given.call("GET /webhooks/replays/{replayId}", { path });
    expect(body.data).toMatchObject({ status: "done", total: 150, sent: 150 });
  });

  it("are neither listed nor redelivered after 90 days", async () => {
    const list = async (query: Record<string, string> = {}) =>
      (await given.call("GET /webhooks/events", { query })).body;
    await given.notify();
    moveClock(89 * day);
    await given.notify();
    expect((await list()).total).toBe(2);
    moveClock(2 * day);
    expect((await list()).total).toBe(1);
    expect((await list({ after: "1" })).total).toBe(1);
    expect(await replayAll()).toMatchObject({ since, total: 1 });
  });
});
