import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { endpoints } from "../../../shared/notifications/delivery/endpoint.ts";
import { newId } from "../../../shared/platform/id.ts";
import { type BusRecorder, resetBus, startBusRecorder } from "../../harness/bus-recorder.ts";
import { injectFaults } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { type GivenWebhooks, givenWebhooks } from "../../harness/given-webhooks.ts";
import { measure } from "../../harness/measure.ts";

let bus: BusRecorder;
let relay: typeof import("../../../functions/outbox-relay/handler.ts")["handler"];

beforeAll(async () => {
  bus = await startBusRecorder();
  relay = (await import("../../../functions/outbox-relay/handler.ts")).handler;
});

/** What is on the bus, as its consumers get it. */
const published = () =>
  bus.calls
    .flat()
    .map(({ Detail }) => JSON.parse(Detail) as OutboxEvent & { readonly isFannedOut?: boolean });

function streamOf(events: readonly OutboxEvent[]): DynamoDBStreamEvent {
  const Records = events.map((event, index) => ({
    eventName: "INSERT" as const,
    dynamodb: { NewImage: marshall(event, { removeUndefinedValues: true }), SequenceNumber: `seq-${index}` },
  }));
  return { Records } as DynamoDBStreamEvent;
}

describe("the relay of an event with notifications", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;

  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
    resetBus();
  });

  const register = (eventTypes = [4]) => given.register({ url: `${customer.receiver.origin}/`, eventTypes });
  const notifying = async () =>
    (await given.events()).map(({ detail }) => detail).filter(({ detail }) => detail.notificationIds);
  const done = { batchItemFailures: [] };

  it("queues the same deliveries as the fan-out, and marks the event on the bus", async () => {
    await register();
    await register([1, 4]);
    await given.notify();
    const events = await notifying();
    expect(await relay(streamOf(events))).toEqual(done);
    const queued = customer.queues.sent.splice(0);
    await given.fan(events.map((detail) => ({ detail })));
    expect(queued).toEqual(customer.queues.sent);
    expect(queued).toHaveLength(2);
    expect(published().map(({ eventId, isFannedOut }) => [eventId, isFannedOut])).toEqual([
      [events[0]?.eventId, true],
    ]);
  });

  it("reads the endpoints of a Program once for all events, and sends ten deliveries in one request", async () => {
    for (let count = 0; count < 5; count += 1) await register();
    for (let count = 0; count < 4; count += 1) await given.notify();
    const events = await notifying();
    const requests = customer.queues.requests();
    const { cost } = await measure(() => relay(streamOf(events)));
    expect(cost.calls).toEqual(["Query"]);
    expect(customer.queues.sent).toHaveLength(20);
    expect(customer.queues.requests() - requests).toBe(2);
  });

  it("reads nothing for events without notifications, and does not mark them", async () => {
    await register();
    await given.notify();
    const events = (await notifying()).map((event) => ({ ...event, detail: { depositId: "dep_1" } }));
    const { cost } = await measure(() => relay(streamOf(events)));
    expect(cost.calls).toEqual([]);
    expect(customer.queues.sent).toEqual([]);
    expect(published().map(({ isFannedOut }) => isFannedOut)).toEqual([undefined]);
  });

  it("leaves an event to the bus while the record of an endpoint is malformed, and no other Program's", async () => {
    const { webhookId } = await register();
    await overwrite(endpoints.key(given.programId, webhookId), { eventTypes: "all" });
    await given.notify();
    const [event] = await notifying();
    if (!event) throw new Error("There is no event.");
    const elsewhere = { ...event, eventId: newId("event"), programId: newId("program") };
    expect(await relay(streamOf([event, elsewhere]))).toEqual(done);
    expect(customer.queues.sent).toEqual([]);
    expect(published().map(({ isFannedOut }) => isFannedOut)).toEqual([undefined, true]);
  });

  it("leaves an event to the bus if one of its deliveries is rejected", async () => {
    await register();
    await given.notify();
    await given.notify();
    customer.queues.refuse(1);
    expect(await relay(streamOf(await notifying()))).toEqual(done);
    expect(customer.queues.sent).toHaveLength(1);
    expect(published().map(({ isFannedOut }) => isFannedOut)).toEqual([undefined, true]);
  });

  it("publishes within seconds although the endpoints cannot be read", async () => {
    await register();
    await given.notify();
    const events = await notifying();
    using _ = injectFaults(() => "server-error");
    const startedMs = performance.now();
    expect(await relay(streamOf(events))).toEqual(done);
    expect(performance.now() - startedMs).toBeLessThan(8_000);
    expect(published().map(({ isFannedOut }) => isFannedOut)).toEqual([undefined]);
  });

  it("makes the same deliveries again if the bus was down, which are recognized", async () => {
    await register();
    await given.notify();
    const event = streamOf(await notifying());
    bus.httpStatus = 400;
    expect(await relay(event)).toEqual({ batchItemFailures: [{ itemIdentifier: "seq-0" }] });
    bus.httpStatus = 200;
    expect(await relay(event)).toEqual(done);
    const bodies = customer.queues.sent.splice(0).map(({ body }) => body);
    expect(bodies).toEqual([bodies[0], bodies[0]]);
    for (const body of bodies) await given.deliverMessages("slow", [body]);
    const ids = customer.receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids.filter((id) => id === bodies[0].messageId)).toHaveLength(1);
  });
});
