import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer } from "../../infra/local/dns.ts";
import { endpoints } from "../../shared/notifications/delivery/endpoint.ts";
import { newId } from "../../shared/platform/id.ts";
import { givenCard, overwrite } from "../harness/given-cards.ts";
import { type GivenWebhooks, givenWebhooks } from "../harness/given-webhooks.ts";
import { type QueueRecorder, startQueueRecorder } from "../harness/queue-recorder.ts";

/** Names that lead inside, each by another kind of address. */
const inside = {
  "loopback.example.com": ["127.0.0.1"],
  "loopback6.example.com": ["::1"],
  "private.example.com": ["10.1.2.3"],
  "private172.example.com": ["172.16.0.1"],
  "private192.example.com": ["192.168.0.1"],
  "link-local.example.com": ["169.254.1.1"],
  "metadata.example.com": ["169.254.169.254"],
  "metadata6.example.com": ["fd00:ec2::254"],
  "cgnat.example.com": ["100.64.0.1"],
  "mapped.example.com": ["::ffff:10.0.0.1"],
  "nat64.example.com": ["64:ff9b::a00:1"],
  "six-to-four.example.com": ["2002:a00:1::"],
  "teredo.example.com": ["2001:0:a00:1::"],
  "half.example.com": ["93.184.216.34", "10.0.0.1"],
};

const hostile = [
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0177.0.0.1/",
  "https://127.1/",
  "https://１２７.0.0.1/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[64:ff9b::7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://100.64.0.1/",
  "https://169.254.169.254/latest/meta-data/",
  "https://8.8.8.8/",
  "https://localhost/",
  "https://metadata.google.internal/",
  "http://hooks.example.com/",
  "https://user:password@hooks.example.com/",
  "https://hooks.example.com:22/",
  ...Object.keys(inside).map((name) => `https://${name}/`),
];

describe("a receiver URL that is invalid or leads to the internal network", () => {
  let queues: QueueRecorder;
  let dns: DnsServer;
  let given: GivenWebhooks;
  let cardId: string;
  let webhookId: string;
  let transIdSc: string;

  beforeAll(async () => {
    queues = await startQueueRecorder();
    const addresses = { ...inside, "hooks.example.com": ["93.184.216.34"] };
    dns = await startDnsServer({ names: {}, addresses });
    Object.assign(process.env, { DNS_SERVERS: dns.address, ALLOWED_RECEIVERS: "" });
    given = await givenWebhooks(queues);
    cardId = (await givenCard(given)).cardId;
    webhookId = (await given.register({ url: "https://hooks.example.com/", eventTypes: [4] })).webhookId;
    transIdSc = await given.notify();
  });
  afterAll(() => Promise.all([queues.stop(), dns.stop()]));

  it.each(hostile)("is rejected by every endpoint that takes a receiver: %s", async (url) => {
    const answers = [
      await given.call("POST /webhooks", { body: { url, eventTypes: [1] } }),
      await given.call("PUT /webhooks/{webhookId}", { path: { webhookId }, body: { url } }),
      await given.call("POST /otp/listeners", { body: { cardId, webhookUrl: url } }),
      await given.call("PUT /account/notification-settings", { body: { channel: "webhook", url } }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422]);
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
