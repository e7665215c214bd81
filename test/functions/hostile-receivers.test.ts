import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer } from "../../infra/local/dns.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { newId } from "../../shared/platform/id.ts";
import { givenCard, overwrite } from "../harness/given-cards.ts";
import { type GivenWebhooks, givenWebhooks } from "../harness/given-webhooks.ts";
import { type QueueRecorder, startQueueRecorder } from "../harness/queue-recorder.ts";

/** One URL of each fault. `test/shared/platform/callbacks` has all forms of them. */
const hostile = [
  ["https://169.254.169.254/latest/meta-data/", "ip_literal"],
  ["https://localhost/", "host_not_public"],
  ["https://inside.example.com/", "address_not_public"],
  ["https://half.example.com/", "address_not_public"],
  ["http://hooks.example.com/", "not_https"],
  ["https://user:password@hooks.example.com/", "has_credentials"],
  ["https://hooks.example.com:22/", "port_not_allowed"],
  ["hooks", "not_a_url"],
] as const;
const addresses = {
  "hooks.example.com": ["93.184.216.34"],
  "inside.example.com": ["169.254.169.254"],
  "half.example.com": ["93.184.216.34", "10.0.0.1"],
};

describe("a receiver URL that is invalid or leads to the internal network", () => {
  let queues: QueueRecorder;
  let dns: DnsServer;
  let given: GivenWebhooks;
  let cardId: string;
  let webhookId: string;
  let transIdSc: string;

  beforeAll(async () => {
    queues = await startQueueRecorder();
    dns = await startDnsServer({ names: {}, addresses });
    Object.assign(process.env, { DNS_SERVERS: dns.address, ALLOWED_RECEIVERS: "" });
    given = await givenWebhooks(queues);
    cardId = (await givenCard(given)).cardId;
    webhookId = (await given.register({ url: "https://hooks.example.com/", eventTypes: [4] })).webhookId;
    transIdSc = await given.notify();
  });
  afterAll(() => Promise.all([queues.stop(), dns.stop()]));

  it.each(hostile)("is rejected by every endpoint that takes a receiver: %s, %s", async (url, code) => {
    const answers = [
      await given.call("POST /webhooks", { body: { url, eventTypes: [1] } }),
      await given.call("PUT /webhooks/{webhookId}", { path: { webhookId }, body: { url } }),
      await given.call("POST /otp/listeners", { body: { cardId, webhookUrl: url } }),
      await given.call("PUT /account/notification-settings", { body: { channel: "webhook", url } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
    const faults = answers.map(({ body }) => body.errors[0]);
    expect(faults.map((fault) => fault.code)).toEqual([code, code, code, code]);
    expect((await given.call("GET /webhooks")).body.items).toMatchObject([
      { url: "https://hooks.example.com/" },
    ]);
  });

  it.each(hostile)(
    "is refused when something is to be sent, however it came to stand there: %s",
    async (url) => {
      const { programId } = given;
      await overwrite(endpoints.key(programId, webhookId), { url });
      const deliveryId = newId("event");
      const ids = { programId, messageId: transIdSc, endpointId: webhookId, deliveryId };
      const message = { kind: "notification", ...ids, attempt: 1 };
      expect(await given.deliverMessages("slow", [message])).toEqual({ batchItemFailures: [] });
      const path = { transIdSc };
      const query = { limit: "200" };
      const { body } = await given.call("GET /webhooks/events/{transIdSc}/attempts", { path, query });
      const made = body.items.filter((one: { deliveryId: string }) => one.deliveryId === deliveryId);
      expect(made).toMatchObject([{ delivered: false, error: "RECEIVER_REFUSED", latencyMs: 0 }]);
      // Another URL also clears the failures, which would have later deliveries wait for a probe.
      const restored = { url: "https://hooks.example.com/" };
      await given.call("PUT /webhooks/{webhookId}", { path: { webhookId }, body: restored });
    },
  );
});
