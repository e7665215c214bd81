import { createServer } from "node:http";
import { marshall } from "@aws-sdk/util-dynamodb";
import type { DynamoDBStreamEvent } from "aws-lambda";
import { startDnsServer } from "../../../infra/local/dns.ts";
import type { OutboxEvent } from "../../../shared/contract/outbox.ts";
import { call } from "../../functions/authorizer/authorizer-event.ts";
import { operate } from "../../harness/administration.ts";
import { givenAuthority, givenCertificate } from "../../harness/given-certificates.ts";
import { givenTenant } from "../../harness/given-tenant.ts";
import { givenWebhooks } from "../../harness/given-webhooks.ts";
import { endServer, listen } from "../../harness/listen.ts";
import { startQueueRecorder } from "../../harness/queue-recorder.ts";
import { startReceiver } from "../../harness/receiver.ts";
import type { Step } from "./step.ts";

/** Steps that need more than the tables, and what they need until it is stopped. */
export interface ServedSteps {
  readonly steps: readonly Step[];
  stop(): Promise<void>;
}

/** From the outbox to a healthy endpoint: one event with one notification. */
export async function sendingSteps(): Promise<ServedSteps> {
  const [queues, receiver, bus] = await Promise.all([startQueueRecorder(), startReceiver(), startBus()]);
  Object.assign(process.env, {
    DNS_SERVERS: "127.0.0.1:9",
    ALLOWED_RECEIVERS: receiver.origin,
    AWS_ENDPOINT_URL_EVENTBRIDGE: bus.endpoint,
    EVENT_BUS_NAME: "bus",
  });
  const { handler: relay } = await import("../../../functions/outbox-relay/handler.ts");
  const given = await givenWebhooks(queues);
  await given.register({ url: `${receiver.origin}/hook`, eventTypes: [1, 2, 3, 4] });
  const notified = async () => {
    await given.notify();
    const event = (await given.events()).find(({ detail }) => detail.detail.notificationIds);
    if (!event) throw new Error("Nothing is to be told.");
    return event;
  };
  const relayed = async (event: OutboxEvent) => {
    if ((await relay(streamEventOf(event))).batchItemFailures.length > 0) throw new Error("The bus refused.");
  };
  await given.fan([await notified()]);
  await given.deliver("slow");
  return {
    steps: [
      {
        name: "relay",
        prepare: async () => {
          const { detail } = await notified();
          return () => relayed({ ...detail, detail: {} });
        },
      },
      {
        name: "relay, publishing",
        prepare: async () => {
          const { detail } = await notified();
          return () => relayed({ ...detail, kind: "settlement.requested", detail: {} });
        },
      },
      {
        name: "relay, notifying",
        prepare: async () => {
          queues.sent.splice(0);
          const { detail } = await notified();
          return async () => {
            await relayed(detail);
            if (queues.take("callbacks").length !== 1) throw new Error("There is no delivery.");
          };
        },
      },
      {
        name: "delivery",
        prepare: async () => {
          queues.sent.splice(0);
          await given.fan([await notified()]);
          return async () => {
            if ((await given.deliver("callbacks")).taken.length !== 1)
              throw new Error("There is no delivery.");
          };
        },
      },
    ],
    stop: async () => void (await Promise.all([queues.stop(), receiver.stop(), bus.stop()])),
  };
}

/** What every request is let in by, once the certificate and the allowlist have been met. */
export async function authorizerSteps(): Promise<ServedSteps> {
  const [ip, name] = ["192.0.2.1", "client.demo.test"];
  const dns = await startDnsServer({ names: { [ip]: [name] }, addresses: { [name]: [ip] } });
  process.env.DNS_SERVERS = dns.address;
  const tenant = await givenTenant(1);
  const certificatePem = await givenCertificate(await givenAuthority(), tenant);
  const { tenantId, programIds } = tenant;
  await operate("register-certificate", { certificatePem });
  await operate("allow-ip", { tenantId, cidr: `${ip}/32` });
  const { apiKey } = await operate("create-api-key", { tenantId, programId: programIds[0], name: "key" });
  const letIn = async () => {
    const { status } = await call({ certificatePem, ip, headers: [["X-API-Key", apiKey]] });
    if (status !== 200) throw new Error(`The authorizer answered ${status}.`);
  };
  await letIn();
  return {
    steps: [{ name: "authorizer", prepare: async () => letIn }],
    stop: () => dns.stop(),
  };
}

function streamEventOf(event: OutboxEvent): DynamoDBStreamEvent {
  const NewImage = marshall(event, { removeUndefinedValues: true });
  return {
    Records: [{ eventName: "INSERT", dynamodb: { NewImage, SequenceNumber: "1" } }],
  } as DynamoDBStreamEvent;
}

/** An event bus that takes everything, in the protocol of the real one. */
async function startBus() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.setHeader("content-type", "application/x-amz-json-1.1");
      response.end(JSON.stringify({ FailedEntryCount: 0, Entries: [{ EventId: "1" }] }));
    });
  });
  return { endpoint: await listen(server), stop: () => endServer(server) };
}
