import { type AttributeValue, DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import type { DynamoDBStreamEvent, SQSEvent } from "aws-lambda";
import { beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { handler as deliverAlert } from "../../functions/alert-delivery/handler.ts";
import { handler as takeSteps } from "../../functions/background-jobs/handler.ts";
import { handler as deliverCallback } from "../../functions/callback-delivery/handler.ts";
import { handler as sweep } from "../../functions/deadlines/handler.ts";
import { handler as compactLists } from "../../functions/list-indexer/handler.ts";
import { handler as applyEvents } from "../../functions/processor-events/handler.ts";
import { handler as fanOut } from "../../functions/webhook-fanout/handler.ts";
import { cardholderList } from "../../shared/cardholders/cardholder.ts";
import { readManifest } from "../../shared/lists/manifest.ts";
import { readNotification } from "../../shared/notifications/stored-notification.ts";
import { environment } from "../../shared/platform/environment.ts";
import { changeIdTime, newId } from "../../shared/platform/id.ts";
import { balancesIn, expectBooksInOrder } from "../harness/books.ts";
import { givenSimulation } from "../harness/cases/control-cases.ts";
import { alertsOf } from "../harness/given-alerts.ts";
import { givenCard, givenProgram } from "../harness/given-cards.ts";
import { givenCustomer } from "../harness/given-customer.ts";
import { givenStoredWallet } from "../harness/given-stored.ts";
import { type GivenWebhooks, givenWebhooks } from "../harness/given-webhooks.ts";
import { lambdaContext, recorded, revived } from "../harness/replay.ts";

const done = { batchItemFailures: [] };

/** Inputs as recorded, with the ids of this run's records. */
describe("a recorded event", () => {
  const customer = givenCustomer();
  let given: GivenWebhooks;

  beforeAll(() => {
    // The recorded queues: a consumer distinguishes its queues by name.
    process.env.CALLBACK_QUEUE_URL = queueUrl("callback-delivery");
    process.env.SLOW_ENDPOINT_QUEUE_URL = queueUrl("slow-callbacks");
  });
  beforeEach(async () => {
    given = await givenWebhooks(customer.queues);
  });

  const queueUrl = (name: string) =>
    `${process.env.AWS_ENDPOINT_URL_SQS}/000000000000/card-issuing-local-${name}`;
  const register = () =>
    given.register({ url: `${customer.receiver.origin}/hook`, eventTypes: [1, 2, 3, 4] });
  const ofQueue = (service: string, operation: string, name = "queue") =>
    recorded<SQSEvent>(service, operation, name);

  it("of the bus makes a delivery for each endpoint", async () => {
    const endpoints = [await register(), await register()];
    const ntf = await given.notify();
    const event = revived(await ofQueue("webhook-fanout", "fan-out"), { prg: given.programId, ntf });
    expect(await fanOut(event)).toEqual(done);
    const deliveries = customer.queues.sent.map(({ body }) => [body.messageId, body.endpointId]);
    expect(deliveries).toEqual(endpoints.map(({ webhookId }) => [ntf, webhookId]));
  });

  it("of a replay creates the deliveries of its time span", async () => {
    await register();
    const ids = [await given.notify(), await given.notify()];
    const until = new Date(Date.now() + 1_000).toISOString();
    const recordedUntil = '\\"until\\":\\"2026-01-01T00:00:00.000Z\\"';
    const event = revived(
      await ofQueue("webhook-fanout", "replay"),
      { prg: given.programId },
      { [recordedUntil]: recordedUntil.replace("2026-01-01T00:00:00.000Z", until) },
    );
    expect(await fanOut(event)).toEqual(done);
    expect(customer.queues.sent.map(({ body }) => body.messageId)).toEqual(ids);
  });

  it("of a job takes its first step", async () => {
    const sim = await givenSimulation(given);
    const event = revived(await ofQueue("background-jobs", "take-step"), { prg: given.programId, sim });
    expect(await takeSteps(event)).toEqual(done);
    const [rest] = customer.queues.take("jobs");
    expect(rest?.body.detail).toMatchObject({ kind: "control.simulated", detail: { step: 1 } });
  });

  it("of a delivery sends the stored bytes: by the queue for slow endpoints first, then by everyone's", async () => {
    const { webhookId: whk } = await register();
    const ntf = await given.notify();
    const stored = await readNotification(given.programId, ntf);
    for (const name of ["slow", "queue"]) {
      const ids = { prg: given.programId, ntf, whk, evt: newId("event") };
      const event = revived(await ofQueue("callback-delivery", "deliver", name), ids);
      expect(await deliverCallback(event)).toEqual(done);
    }
    const bodies = customer.receiver.received
      .filter(({ headers }) => headers["webhook-id"] === ntf)
      .map(({ body }) => body.toString());
    expect(bodies).toEqual([stored?.body, stored?.body]);
    expect(customer.queues.sent).toEqual([]);
  });

  it("of a challenge calls its subscription back", async () => {
    const program = await givenProgram({ settings: { threeDSecure: true } });
    const { cardId } = await givenCard(program);
    const webhookUrl = `${customer.receiver.origin}/otp/${cardId}`;
    await program.call("POST /otp/listeners", { body: { cardId, webhookUrl } });
    await program.call("POST /cards/{cardId}/three-ds-challenges", { path: { cardId } });
    const [{ detail } = { detail: {} }] = await alertsOf(program.programId);
    const { listenerId = "", challengeId: chl = "" } = detail.detail as Record<string, string>;
    const event = revived(
      await ofQueue("alert-delivery", "deliver"),
      { prg: program.programId, evt: newId("event"), chl },
      { ["0".repeat(64)]: listenerId },
    );
    expect(await deliverAlert(event)).toEqual(done);
    const [received] = customer.receiver.received.filter(({ path }) => path === `/otp/${cardId}`);
    expect(received?.body.toString()).toBe(JSON.stringify({ cardId }));
  });

  it("of the processor's queue is applied", async () => {
    const { programId } = given;
    const wlt = await givenStoredWallet(programId);
    const event = revived(await ofQueue("processor-events", "consume"), { prg: programId, wlt });
    expect(await applyEvents(event)).toEqual(done);
    expect(balancesIn(await expectBooksInOrder(programId), wlt)).toMatchObject({
      pendingDepositMinor: 7_500,
      ledgerMinor: 7_500,
    });
  });

  it("of the schedule executes due deadlines", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2029, 0, 1) });
    const { programId, call } = await givenProgram({ settings: { clearingDelaySeconds: 60 } });
    const walletId = await givenStoredWallet(programId);
    const path = { walletId };
    await call("POST /wallets/{walletId}/bank-deposit", { path, body: { amount: 100 } });
    vi.setSystemTime(Date.now() + 60_000);
    await sweep(await recorded("deadlines", "sweep", "schedule"), lambdaContext);
    expect(balancesIn(await expectBooksInOrder(programId), walletId)).toMatchObject({ availableMinor: 100 });
  });

  it("of the stream has its change compacted, once", async () => {
    const { programId } = given;
    const event = revived(await recorded<DynamoDBStreamEvent>("list-indexer", "take-in", "stream"), {
      prg: programId,
    });
    const Item = event.Records[0]?.dynamodb?.NewImage as Record<string, AttributeValue>;
    await new DynamoDBClient().send(new PutItemCommand({ TableName: environment.issuingTable, Item }));
    vi.useFakeTimers({ toFake: ["Date"], now: changeIdTime(Item.sk?.S ?? "") + 60_000 });
    for (const _ of ["told", "told again"]) {
      expect(await compactLists(event)).toEqual(done);
      const { segments, watermark } = await readManifest({ programId, kind: cardholderList });
      expect(segments.map(({ entries }) => entries)).toEqual([1]);
      expect(watermark > (Item.sk?.S ?? "")).toBe(true);
    }
  });
});
