import { afterAll, afterEach, beforeAll, beforeEach, vi } from "vitest";
import { type GivenWebhooks, givenWebhooks } from "./given-webhooks.ts";
import { type QueueRecorder, startQueueRecorder } from "./queue-recorder.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/** What is sent out, from its queues to a customer's receiver. */
export interface Customer {
  readonly queues: QueueRecorder;
  /** The only one to which anything may go. */
  readonly receiver: Receiver;
  /** The status of all answers from now to the end of the test. */
  answer(status: number): void;
}

/** Each test starts with empty queues, a receiver that answers 204, and the real clock. */
export function givenCustomer(): Customer {
  let queues: QueueRecorder;
  let receiver: Receiver;
  const answer = (status: number) => receiver.behave((_, response) => response.writeHead(status).end());
  beforeAll(async () => {
    queues = await startQueueRecorder();
    receiver = await startReceiver();
    Object.assign(process.env, { DNS_SERVERS: "127.0.0.1:9", ALLOWED_RECEIVERS: receiver.origin });
  });
  afterAll(() => Promise.all([queues.stop(), receiver.stop()]));
  afterEach(() => {
    vi.useRealTimers();
    queues.sent.splice(0);
    answer(204);
  });
  return {
    get queues() {
      return queues;
    },
    get receiver() {
      return receiver;
    },
    answer,
  };
}

/** Moves this process's clock, timers aside. */
export function moveClock(ms: number): void {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + ms, shouldAdvanceTime: true });
}

/** The customer's endpoint is new: deliveries wait in the queue for slow endpoints. */
export interface Notification {
  readonly given: GivenWebhooks;
  readonly webhook: { readonly webhookId: string; readonly secret: string };
  readonly transIdSc: string;
  /** Its attempts, oldest first, as the customer sees them. */
  // biome-ignore lint/suspicious/noExplicitAny: the answer's items.
  attempts(): Promise<any[]>;
  /** What the customer has received of it. */
  received(): Receiver["received"];
}

/** Each test gets a new Program with one notification. */
export function givenNotification(customer: Customer): Notification {
  let given: GivenWebhooks;
  let webhook: Notification["webhook"];
  let transIdSc: string;
  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
    webhook = await given.register({ url: `${customer.receiver.origin}/hook`, eventTypes: [1, 2, 3, 4] });
    transIdSc = await given.notify();
    await given.fanOut();
  });
  return {
    get given() {
      return given;
    },
    get webhook() {
      return webhook;
    },
    get transIdSc() {
      return transIdSc;
    },
    attempts: async () => {
      const request = { path: { transIdSc }, query: { sort: "asc" } };
      return (await given.call("GET /webhooks/events/{transIdSc}/attempts", request)).body.items;
    },
    received: () => customer.receiver.received.filter(({ headers }) => headers["webhook-id"] === transIdSc),
  };
}
