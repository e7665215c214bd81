import { beforeEach, describe, expect, it } from "vitest";
import { endpoints } from "../../../shared/notifications/delivery/endpoint.ts";
import { newId } from "../../../shared/platform/id.ts";
import { injectFaults } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { type GivenWebhooks, givenWebhooks } from "../../harness/given-webhooks.ts";
import { measure } from "../../harness/measure.ts";

describe("the fan-out of an event", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;

  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
  });

  const register = (eventTypes: number[], active = true) =>
    given.register({ url: `${customer.receiver.origin}/`, eventTypes, active });

  it("makes one delivery for each active endpoint that subscribes to its type", async () => {
    const wanting = [await register([1, 2, 3, 4]), await register([4])];
    await register([1, 2, 3]);
    await register([4], false);
    const transIdSc = await given.notify();
    const events = await given.events();
    expect(await given.fan(events)).toEqual({ batchItemFailures: [] });
    const deliveryId = events.find(({ detail }) => detail.detail.notificationIds)?.detail.eventId;
    expect(customer.queues.sent.map(({ body }) => body)).toEqual(
      wanting.map(({ webhookId }) => ({
        kind: "notification",
        programId: given.programId,
        messageId: transIdSc,
        endpointId: webhookId,
        deliveryId,
        attempt: 1,
        deferrals: 0,
        cause: { requestId: "00000000-0000-4000-8000-000000000000" },
      })),
    );
    expect(customer.queues.sent.map(({ groupId }) => groupId)).toEqual(
      wanting.map(({ webhookId }) => webhookId),
    );
  });

  it("makes the same deliveries if it is repeated", async () => {
    await register([4]);
    await given.notify();
    const events = await given.events();
    await given.fan(events);
    const first = customer.queues.sent.splice(0).map(({ body }) => body);
    await given.fan(events);
    expect(customer.queues.sent.map(({ body }) => body)).toEqual(first);
  });

  it("sends both notifications of one event", async () => {
    await register([2]);
    const [one, two] = [newId("notification"), newId("notification")];
    const event = {
      eventId: newId("event"),
      kind: "transaction.posted",
      programId: given.programId,
      occurredAt: new Date().toISOString(),
      detail: { notificationIds: [one, two] },
    };
    await given.fan([{ detail: event }]);
    expect(customer.queues.sent.map(({ body }) => body.messageId)).toEqual([one, two]);
  });

  it("keeps an event in the queue if its deliveries are rejected, and no other of its batch", async () => {
    await register([4]);
    await given.notify();
    await given.notify();
    const events = (await given.events()).filter(({ detail }) => detail.detail.notificationIds);
    customer.queues.refuse(1);
    const { batchItemFailures } = await given.fan(events);
    expect(batchItemFailures).toHaveLength(1);
    expect(customer.queues.sent).toHaveLength(1);
    expect((await given.fan(events)).batchItemFailures).toEqual([]);
  });

  it("keeps an event in the queue while the record of an endpoint is malformed, so that it loses nothing", async () => {
    const { webhookId } = await register([4]);
    const key = endpoints.key(given.programId, webhookId);
    await overwrite(key, { eventTypes: "all" });
    await given.notify();
    const events = await given.events();
    expect((await given.fan(events)).batchItemFailures).toHaveLength(1);
    await overwrite(key, { eventTypes: [4] });
    expect(await given.fan(events)).toEqual({ batchItemFailures: [] });
    expect(customer.queues.sent.map(({ groupId }) => groupId)).toEqual([webhookId]);
  });

  it("keeps a malformed event in the queue", async () => {
    const { batchItemFailures } = await given.fan([{ detail: { kind: "hold.placed" } }, { nothing: true }]);
    expect(batchItemFailures).toHaveLength(2);
  });

  it("reads once for each Program of a batch and sends ten deliveries in one request", async () => {
    for (let count = 0; count < 5; count += 1) await register([4]);
    for (let count = 0; count < 4; count += 1) await given.notify();
    const events = (await given.events()).filter(({ detail }) => detail.detail.notificationIds);
    const requests = customer.queues.requests();
    const { cost } = await measure(() => given.fan(events));
    expect(cost.calls).toEqual(["Query"]);
    expect(customer.queues.sent).toHaveLength(20);
    expect(customer.queues.requests() - requests).toBe(2);
  });

  it("keeps the events of a Program in the queue if its endpoints cannot be read, and no others", async () => {
    await register([4]);
    await given.notify();
    const [event] = (await given.events()).filter(({ detail }) => detail.detail.notificationIds);
    const elsewhere = { detail: { ...event?.detail, programId: newId("program") } };
    using _ = injectFaults(({ input }) =>
      JSON.stringify(input).includes(given.programId) ? "server-error" : undefined,
    );
    const { batchItemFailures } = await given.fan([event, elsewhere]);
    expect(batchItemFailures).toEqual([{ itemIdentifier: "message-0" }]);
  });
});
