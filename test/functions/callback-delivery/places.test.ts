import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { webhookKey } from "../../../shared/table/webhook-keys.ts";
import { type DynamoCall, firstCalls, injectFaults } from "../../harness/faults.ts";
import { type QueueRecorder, startQueueRecorder } from "../../harness/queue-recorder.ts";
import { type Receiver, startReceiver } from "../../harness/receiver.ts";
import { storedItem } from "../../harness/stored.ts";
import { type GivenWebhooks, givenWebhooks } from "../given-webhooks.ts";

const isRecord = ({ command }: DynamoCall) => ["PutItem", "TransactWriteItems"].includes(command);

describe("the delivery of a notification, where something fails or lets it wait", () => {
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
  const health = () => storedItem(webhookKey.health(given.programId, webhook.webhookId));
  /** Moves this process's clock, timers aside. */
  const moveClock = (ms: number) => {
    const at = Date.now() + ms;
    vi.useFakeTimers({ toFake: ["Date"], now: at, shouldAdvanceTime: true });
  };

  it("keeps its message where nothing can be read, and is not lost where nothing can be written", async () => {
    const messages = queues.take("detour").map(({ body }) => body);
    {
      using _ = injectFaults(({ command }) => (command === "BatchGetItem" ? "server-error" : undefined));
      const { batchItemFailures } = await given.deliverMessages("detour", messages);
      expect(batchItemFailures).toHaveLength(1);
    }
    {
      using _ = injectFaults(firstCalls(100, "server-error", isRecord));
      const { batchItemFailures } = await given.deliverMessages("detour", messages);
      expect(batchItemFailures).toHaveLength(1);
    }
    moveClock(60_000);
    expect((await given.deliverMessages("detour", messages)).batchItemFailures).toEqual([]);
    expect(await attempts()).toMatchObject([{ attempt: 1, delivered: true }]);
  });

  it("is done with where the answer to its record was lost, and is not sent again", async () => {
    const messages = queues.take("detour").map(({ body }) => body);
    using faults = injectFaults(firstCalls(1, "timeout-after-commit", isRecord));
    expect((await given.deliverMessages("detour", messages)).batchItemFailures).toEqual([]);
    expect(faults.calls.filter(({ fault }) => fault)).toHaveLength(1);
    expect(await attempts()).toMatchObject([{ attempt: 1, delivered: true }]);
    expect(ours()).toHaveLength(1);
  });

  it("schedules the next attempt although it was killed after the record of the one before", async () => {
    answer(500);
    const messages = queues.take("detour").map(({ body }) => body);
    queues.refuse(1);
    expect((await given.deliverMessages("detour", messages)).batchItemFailures).toHaveLength(1);
    expect(queues.sent).toEqual([]);
    expect((await given.deliverMessages("detour", messages)).batchItemFailures).toEqual([]);
    expect(queues.sent).toMatchObject([{ queue: "detour", body: { attempt: 2 } }]);
    expect(ours()).toHaveLength(1);
  });

  it("goes with everyone else's once the endpoint has proved itself, and on the detour while it fails", async () => {
    await given.deliver("detour");
    await given.notify();
    await given.fan(await given.events());
    expect(queues.sent).toMatchObject([{ queue: "callbacks" }]);
    await given.deliver("callbacks");
    answer(500);
    for (let failures = 1; failures <= 3; failures += 1) {
      await given.notify();
      await given.fan(await given.events());
      const [first] = queues.take("callbacks");
      expect(first, `after ${failures - 1} failures`).toBeDefined();
      await given.deliverMessages("callbacks", [first?.body]);
    }
    queues.sent.splice(0);
    await given.notify();
    await given.fan(await given.events());
    expect(queues.sent).toMatchObject([{ queue: "detour" }]);
    // What was put with everyone else's before that moves over, without an attempt.
    const before = receiver.received.length;
    const [message] = queues.take("detour");
    await given.deliverMessages("callbacks", [message?.body]);
    expect(receiver.received.length).toBe(before);
    expect(queues.sent).toMatchObject([{ queue: "detour", delaySeconds: 0 }]);
    answer(200);
    await given.deliver("detour");
    expect(await health()).toMatchObject({ provenAt: expect.any(String) });
    expect((await health())?.failures).toBeUndefined();
  });

  it("has one place at an endpoint that fails, whichever worker sends, and four at one that is new", async () => {
    const messages = Array.from({ length: 12 }, (_, index) => ({
      ...queues.sent[0]?.body,
      deliveryId: `evt_${index}`,
    }));
    queues.sent.splice(0);
    let underWay = 0;
    let most = 0;
    receiver.behave((_, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setTimeout(() => {
        underWay -= 1;
        response.writeHead(500).end();
      }, 100);
    });
    await Promise.all(
      [messages.slice(0, 6), messages.slice(6)].map((half) => given.deliverMessages("detour", half)),
    );
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(4);
    const deferred = queues.sent.filter(({ body }) => body.deferrals === 1);
    expect(deferred.length).toBeGreaterThan(0);
    expect(deferred.every(({ delaySeconds = 0 }) => delaySeconds >= 1)).toBe(true);
    expect(ours().length + deferred.length).toBe(12);
    most = 0;
    const again = deferred.map(({ body }) => body);
    await given.deliverMessages("detour", again);
    expect(most).toBe(1);
    const places = await storedItem(webhookKey.places(given.programId, webhook.webhookId));
    expect(places?.underWay).toBe(0);
  });

  it("to an endpoint that lets its sender wait is told of while it waits", async () => {
    await given.deliver("detour");
    const { promise, resolve } = Promise.withResolvers<void>();
    receiver.behave((_, response) => void promise.then(() => response.writeHead(200).end()));
    await given.notify();
    await given.fan(await given.events());
    const delivering = given.deliver("callbacks");
    await vi.waitFor(async () => expect((await health())?.slowSince).toBeDefined(), { timeout: 5_000 });
    await given.notify();
    await given.fan(await given.events());
    expect(queues.sent).toMatchObject([{ queue: "detour" }]);
    resolve();
    await delivering;
    receiver.behave((_, response) => response.writeHead(200).end());
    await given.deliver("detour");
    expect((await health())?.slowSince).toBeUndefined();
  });
});
