import { marshall } from "@aws-sdk/util-dynamodb";
import type { AttributeValue, DynamoDBRecord, DynamoDBStreamEvent } from "aws-lambda";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { type OutboxEvent, publishedKinds, RelayedEvent } from "../../../shared/contract/outbox.ts";
import { endpoints } from "../../../shared/notifications/delivery/endpoint.ts";
import { newId } from "../../../shared/platform/id.ts";
import { correlated, log } from "../../../shared/platform/log.ts";
import { outboxPut } from "../../../shared/platform/outbox/outbox-put.ts";
import { packItem } from "../../../shared/platform/table/packed.ts";
import { type BusRecorder, resetBus, startBusRecorder } from "../../harness/bus-recorder.ts";
import { injectFaults, interrupt } from "../../harness/faults.ts";
import { overwrite } from "../../harness/given-cards.ts";
import { givenCustomer } from "../../harness/given-customer.ts";
import { type GivenWebhooks, givenWebhooks } from "../../harness/given-webhooks.ts";
import { measure } from "../../harness/measure.ts";
import { recorded } from "../../harness/replay.ts";

let bus: BusRecorder;
let relay: typeof import("../../../functions/outbox-relay/handler.ts")["handler"];

beforeAll(async () => {
  bus = await startBusRecorder();
  relay = (await import("../../../functions/outbox-relay/handler.ts")).handler;
});
beforeEach(() => void resetBus());

const at = new Date("2026-11-20T08:00:00.123Z");

/** A stream record of the item that an operation writes, as the stream brings it. */
function record(index: number, detail: Record<string, unknown> = { index }): DynamoDBRecord {
  return withImage(
    index,
    marshall(imageOf("ledger.requested", detail), { removeUndefinedValues: true }) as Image,
  );
}

function imageOf(kind: OutboxEvent["kind"], detail: OutboxEvent["detail"]) {
  return outboxPut("prg_A", kind, detail, at).Put.Item;
}

type Image = Record<string, AttributeValue>;

function withImage(index: number, NewImage: Image): DynamoDBRecord {
  return {
    eventID: String(index),
    eventName: "INSERT",
    dynamodb: { NewImage, SequenceNumber: `seq-${index}`, StreamViewType: "NEW_AND_OLD_IMAGES" },
  };
}

const records = (count: number, detail?: Record<string, unknown>) =>
  Array.from({ length: count }, (_, index) => record(index, detail));
const sentIndexes = () => bus.calls.flat().map(({ Detail }) => JSON.parse(Detail).detail.index);

describe("outbox-relay", () => {
  it("publishes the event by its kind, with its id and the time of the change", async () => {
    const one = record(0, { depositId: "dep_1", amountMinor: 5 });
    expect(await relay({ Records: [one] })).toEqual({ batchItemFailures: [] });
    const [entry] = bus.calls[0] ?? [];
    expect(entry).toMatchObject({
      EventBusName: "the-bus",
      Source: "card-issuing-platform",
      DetailType: "ledger.requested",
      Time: at.getTime() / 1000,
    });
    expect(JSON.parse(entry?.Detail ?? "")).toEqual({
      eventId: one.dynamodb?.NewImage?.eventId?.S,
      kind: "ledger.requested",
      programId: "prg_A",
      occurredAt: at.toISOString(),
      detail: { depositId: "dep_1", amountMinor: 5 },
    });
  });

  it("publishes what is for others with its details beside its id", async () => {
    const detail = { cardholderId: "chd_1", cardId: "crd_1", cardForm: 1, cardType: 0 };
    const one = withImage(0, marshall(imageOf("issuance.requested", detail)) as Image);
    expect(await relay({ Records: [one, one] })).toEqual({ batchItemFailures: [] });
    const [first, again] = bus.calls.flat();
    expect(first?.DetailType).toBe("issuance.requested");
    expect(JSON.parse(first?.Detail ?? "")).toEqual({
      eventId: one.dynamodb?.NewImage?.eventId?.S,
      kind: "issuance.requested",
      programId: "prg_A",
      occurredAt: at.toISOString(),
      ...detail,
    });
    expect(again).toEqual(first);
  });

  it("publishes an event that another item of its commit carries", async () => {
    const detail = { reportId: "rep_1", memo: "é".repeat(300) };
    const { pk: _, sk: __, expiresAtSeconds: ___, ...event } = imageOf("report.requested", detail);
    const { programId, ...carried } = event;
    const stored = packItem({ pk: "prg_A#rep_1", sk: "TRANSFER#trf_1", outbox: true, carried });
    const bytes = stored.z1 as Buffer;
    // The stream brings bytes in base64.
    for (const z1 of [bytes, bytes.toString("base64")]) {
      const image = { ...stored, z1 };
      expect(await relay({ Records: [withImage(0, marshall(image) as Image)] })).toEqual({
        batchItemFailures: [],
      });
      expect(JSON.parse(bus.calls.at(-1)?.[0]?.Detail ?? "")).toEqual({ ...event, programId });
    }
  });

  it.each(["", "no base64", Buffer.from("unpacked").toString("base64")])(
    "repeats from an item whose event cannot be unpacked: %j",
    async (z1) => {
      const image = { pk: "prg_A#wlt_1", sk: "TRANSFER#trf_1", outbox: true, z1 };
      expect(await relay({ Records: [record(0), withImage(1, marshall(image) as Image)] })).toEqual({
        batchItemFailures: [{ itemIdentifier: "seq-1" }],
      });
    },
  );

  it("logs each event on the bus, and the first that failed, with its correlation", async () => {
    const told: unknown[][] = [];
    for (const level of ["info", "warn"] as const) {
      vi.spyOn(log, level).mockImplementation((...line) => void told.push(line));
    }
    const given = [0, 1, 2].map((index) =>
      correlated({ requestId: `request-${index}` }, () => record(index)),
    );
    bus.refuse = ({ Detail }) => (JSON.parse(Detail).detail.index === 1 ? "ThrottlingException" : undefined);
    await relay({ Records: given });
    expect(JSON.parse(bus.calls[0]?.[0]?.Detail ?? "").cause).toEqual({ requestId: "request-0" });
    const eventIds = given.map(({ dynamodb }) => dynamodb?.NewImage?.eventId?.S);
    expect(told).toEqual([
      [
        "The event is on the bus.",
        { requestId: "request-0", eventId: eventIds[0], kind: "ledger.requested" },
      ],
      [
        "The bus rejected entries.",
        { requestId: "request-1", eventId: eventIds[1], count: 1, code: "ThrottlingException" },
      ],
    ]);
    vi.restoreAllMocks();
  });

  it("reads the recorded events of the stream, which no rule of the bus takes", async () => {
    const event = await recorded<DynamoDBStreamEvent>("outbox-relay", "publish", "stream");
    expect(await relay(event)).toEqual({ batchItemFailures: [] });
    const kinds = event.Records.map(({ dynamodb }) => dynamodb?.NewImage?.kind?.S);
    expect(kinds).toEqual(["cardholder.status_changed"]);
    expect(bus.calls).toEqual([]);
  });

  it("publishes what a rule takes, and nothing else", async () => {
    const kinds = RelayedEvent.options.flatMap(({ shape }) => shape.kind.options);
    const given = kinds.map((kind, index) =>
      withImage(index, marshall(imageOf(kind as OutboxEvent["kind"], {})) as Image),
    );
    // Only a Tenant has those of certificates.
    const ofPrograms = given.filter((_, index) => kinds[index] !== "certificate.expiring");
    expect(await relay({ Records: ofPrograms })).toEqual({ batchItemFailures: [] });
    expect(bus.calls.flat().map(({ DetailType }) => DetailType)).toEqual(
      kinds.filter((kind) => publishedKinds.has(kind) && kind !== "certificate.expiring"),
    );
  });

  it("publishes ten at a time, in the stream's order", async () => {
    await relay({ Records: records(25) });
    expect(bus.calls.map((entries) => entries.length)).toEqual([10, 10, 5]);
    expect(sentIndexes()).toEqual(Array.from({ length: 25 }, (_, index) => index));
  });

  it("puts at most 256 KB at a time", async () => {
    await relay({ Records: records(5, { text: "é".repeat(50_000) }) });
    expect(bus.calls.map((entries) => entries.length)).toEqual([2, 2, 1]);
  });

  it("repeats from the first entry that the bus rejects, and sends no later batch", async () => {
    bus.refuse = ({ Detail }) =>
      [13, 15].includes(JSON.parse(Detail).detail.index) ? "ThrottlingException" : undefined;
    expect(await relay({ Records: records(25) })).toEqual({
      batchItemFailures: [{ itemIdentifier: "seq-13" }],
    });
    expect(bus.calls).toHaveLength(2);
  });

  it("lets the stream repeat from the batch that could not be published", async () => {
    bus.refuse = ({ Detail }) => {
      if (JSON.parse(Detail).detail.index === 10) bus.httpStatus = 400;
      return undefined;
    };
    expect(await relay({ Records: records(15) })).toEqual({
      batchItemFailures: [{ itemIdentifier: "seq-10" }],
    });
  });

  it("publishes the items before a malformed one, and repeats from there", async () => {
    const malformed = withImage(1, { pk: { S: "x" }, sk: { S: "OUTBOX" }, kind: { S: "unheard.of" } });
    expect(await relay({ Records: [record(0), malformed, record(2)] })).toEqual({
      batchItemFailures: [{ itemIdentifier: "seq-1" }],
    });
    expect(sentIndexes()).toEqual([0]);
  });

  it("repeats from the earlier of a rejected and a malformed item", async () => {
    bus.refuse = () => "InternalFailure";
    const malformed = withImage(1, {});
    expect(await relay({ Records: [record(0), malformed] })).toEqual({
      batchItemFailures: [{ itemIdentifier: "seq-0" }],
    });
  });
});

/** What is on the bus, as its consumers get it. */
const published = () => bus.calls.flat().map(({ Detail }) => JSON.parse(Detail) as OutboxEvent);

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

  it("queues the same deliveries as the fan-out, and leaves nothing to the bus", async () => {
    await register();
    await register([1, 4]);
    await given.notify();
    const events = await notifying();
    expect(await relay(streamOf(events))).toEqual(done);
    const queued = customer.queues.sent.splice(0);
    await given.fan(events.map((detail) => ({ detail })));
    expect(queued).toEqual(customer.queues.sent);
    expect(queued).toHaveLength(2);
    expect(published()).toEqual([]);
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

  it("reads and publishes nothing for events without notifications", async () => {
    await register();
    await given.notify();
    const events = (await notifying()).map((event) => ({ ...event, detail: { depositId: "dep_1" } }));
    const { cost } = await measure(() => relay(streamOf(events)));
    expect(cost.calls).toEqual([]);
    expect(customer.queues.sent).toEqual([]);
    expect(published()).toEqual([]);
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
    expect(published()).toEqual([event]);
  });

  it("leaves an event to the bus if one of its deliveries is rejected", async () => {
    await register();
    await given.notify();
    await given.notify();
    customer.queues.refuse(1);
    const events = await notifying();
    expect(await relay(streamOf(events))).toEqual(done);
    expect(customer.queues.sent).toHaveLength(1);
    expect(published()).toEqual([events[0]]);
  });

  /** What the relay knows of endpoints is from its last event of the Program. */
  async function nextEvent() {
    await given.notify();
    const [event] = (await notifying()).slice(-1);
    if (!event) throw new Error("There is no event.");
    return event;
  }

  it("queues at once what known endpoints wanted, while it reads them anew, and then only what they lack", async () => {
    const known = await register();
    expect(await relay(streamOf([await nextEvent()]))).toEqual(done);
    customer.queues.sent.splice(0);
    const added = await register();
    const event = await nextEvent();
    const requests = customer.queues.requests();
    using _ = interrupt(
      (command) => command === "Query",
      () => vi.waitFor(() => expect(customer.queues.sent).toHaveLength(1), { timeout: 5_000 }),
    );
    const { cost } = await measure(() => relay(streamOf([event])));
    expect(cost.calls).toEqual(["Query"]);
    expect(customer.queues.sent.map(({ groupId }) => groupId)).toEqual([known.webhookId, added.webhookId]);
    expect(published()).toEqual([]);
    customer.queues.sent.splice(0);
    // Both are known by now: one request, as with a first event.
    expect(await relay(streamOf([event]))).toEqual(done);
    expect(customer.queues.sent).toHaveLength(2);
    expect(customer.queues.requests() - requests).toBe(3);
  });

  it("leaves an event to the bus if endpoints cannot be read anew, with its early deliveries recognized", async () => {
    await register();
    expect(await relay(streamOf([await nextEvent()]))).toEqual(done);
    customer.queues.sent.splice(0);
    const event = await nextEvent();
    {
      using _ = injectFaults(({ command }) => (command === "Query" ? "server-error" : undefined));
      expect(await relay(streamOf([event]))).toEqual(done);
    }
    expect(published()).toEqual([event]);
    await given.fan([{ detail: event }]);
    const bodies = customer.queues.sent.splice(0).map(({ body }) => body);
    expect(bodies).toEqual([bodies[0], bodies[0]]);
    for (const body of bodies) await given.deliverMessages("slow", [body]);
    const ids = customer.receiver.received.map(({ headers }) => headers["webhook-id"]);
    expect(ids.filter((id) => id === bodies[0].messageId)).toHaveLength(1);
  });

  it("publishes within seconds although the endpoints cannot be read", async () => {
    await register();
    await given.notify();
    const events = await notifying();
    using _ = injectFaults(() => "server-error");
    const startedMs = performance.now();
    expect(await relay(streamOf(events))).toEqual(done);
    expect(performance.now() - startedMs).toBeLessThan(8_000);
    expect(published()).toEqual(events);
  });

  it("makes the same deliveries again if the bus was down for another event, which are recognized", async () => {
    await register();
    await given.notify();
    const event = { Records: [...streamOf(await notifying()).Records, record(0)] };
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
