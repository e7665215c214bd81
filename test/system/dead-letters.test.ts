import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { readAssembly } from "../../infra/local/assembly.ts";
import { newId } from "../../shared/platform/id.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { person } from "../harness/person.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";
import { local, outboxRecords } from "./outbox-records.ts";

const soon = { timeout: 60_000, interval: 50 };

interface Letter {
  readonly messageId: string;
  readonly kind: string;
  readonly ids: Record<string, string | number>;
  readonly receives: number;
}

describe("dead letters", () => {
  let given: GivenPlatform;
  let platform: Platform;
  let program: LiveProgram;
  let sqs: SQSClient;

  beforeAll(async () => {
    given = await givenPlatform();
    ({ platform, program } = given);
    sqs = new SQSClient({ ...local, endpoint: new URL(platform.connection.processorQueueUrl).origin });
  });
  afterAll(async () => {
    sqs?.destroy();
    await given?.stop();
  });

  /** What the command line says: its output on success, else its complaint. */
  const run = async (...words: string[]) => {
    const { code, stdout, stderr } = await given.run("operator", "dead-letters", ...words);
    return { code, said: code === 0 ? stdout : stderr };
  };
  const letters = async (queue: string): Promise<Letter[]> =>
    JSON.parse((await run("show", queue)).said).letters;
  const counts = async () => {
    const { queues } = JSON.parse((await run()).said) as { queues: { queue: string; messages: number }[] };
    return Object.fromEntries(
      queues.filter(({ messages }) => messages > 0).map(({ queue, messages }) => [queue, messages]),
    );
  };
  const deadLettersUrl = (queue: string) =>
    platform.connection.processorQueueUrl.replace(/processor-events$/, `${queue}-dead-letters`);
  const send = async (url: string, body: unknown) => {
    const MessageBody = typeof body === "string" ? body : JSON.stringify(body);
    const { MessageId } = await sqs.send(new SendMessageCommand({ QueueUrl: url, MessageBody }));
    return MessageId ?? "";
  };
  /** Past the last attempt at it. */
  const untilGivenUp = async (queue: string, messages: number) => {
    const QueueUrl = deadLettersUrl(queue);
    const AttributeNames = ["ApproximateNumberOfMessages" as const];
    await vi.waitFor(async () => {
      await advanceClock(platform.connection, "4m");
      const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames }));
      expect(Attributes?.ApproximateNumberOfMessages).toBe(String(messages));
    }, soon);
  };
  const redrives = async () => {
    const { endpoint, accountsTable: TableName } = platform.connection.store;
    const dynamo = DynamoDBDocumentClient.from(new DynamoDBClient({ ...local, endpoint }));
    const { Items = [] } = await dynamo.send(new ScanCommand({ TableName }));
    return Items.filter(({ action }) => action === "dead-letter.redrive");
  };
  const ledgerOf = async (walletId: string) =>
    (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data;

  it("is found, mended and put back: an event whose record did not exist yet", async () => {
    const { processorQueueUrl, programId, walletId } = platform.connection;
    const common = { programId, occurredAt: new Date().toISOString() };
    const depositId = newId("deposit");
    expect(await counts()).toEqual({});
    const eventId = "network-77:cleared";
    await send(processorQueueUrl, { ...common, eventId, kind: "deposit_cleared", depositId });
    await untilGivenUp("processor-events", 1);

    const [letter, ...others] = await letters("processor-events");
    expect(others).toEqual([]);
    expect(letter).toMatchObject({ kind: "deposit_cleared", ids: { eventId, programId, depositId } });
    expect(letter?.receives).toBeGreaterThan(5);
    // Looking takes nothing away.
    expect(await letters("processor-events")).toHaveLength(1);

    const before = await ledgerOf(walletId);
    const deposit = { depositId, accountType: 0, accountId: walletId, amount: 700 };
    await send(processorQueueUrl, { ...common, eventId: "network-76", kind: "deposit_pending", ...deposit });
    await vi.waitFor(
      async () => expect((await ledgerOf(walletId)).ledgerBalance).toBe(before.ledgerBalance + 700),
      soon,
    );
    expect((await ledgerOf(walletId)).availableBalance).toBe(before.availableBalance);

    const again = await run("redrive", "processor-events", letter?.messageId ?? "");
    expect(again).toEqual({ code: 0, said: '{"putBack":1}\n' });
    expect(await redrives()).toMatchObject([{ actor: "operator:local", subjectId: letter?.messageId }]);
    await vi.waitFor(
      async () => expect((await ledgerOf(walletId)).availableBalance).toBe(before.availableBalance + 700),
      soon,
    );
    expect(await counts()).toEqual({});
  }, 240_000);

  it("is discarded with a reason, which the Tenant's audit log keeps; nothing that it says is ever shown", async () => {
    const { processorQueueUrl, programId } = platform.connection;
    const secrets = {
      code: "918273",
      token: "a-token-of-a-listener",
      firstName: "Ada",
      pan: "4000001234567899",
    };
    const poison = await send(processorQueueUrl, { programId, kind: "no_such_kind", ...secrets });
    const garbage = await send(processorQueueUrl, "918273 is no JSON");
    await untilGivenUp("processor-events", 2);
    const { said } = await run("show", "processor-events");
    expect(said).not.toMatch(/918273|a-token|Ada|4000001234567899/);
    const shown: Letter[] = JSON.parse(said).letters;
    expect(shown.find(({ messageId }) => messageId === poison)).toMatchObject({
      kind: "no_such_kind",
      ids: { programId },
    });
    expect(shown.find(({ messageId }) => messageId === garbage)).toMatchObject({
      kind: "unreadable",
      ids: {},
    });

    for (const messageId of [poison, garbage]) {
      const { code, said: answer } = await run(
        "discard",
        "processor-events",
        messageId,
        "The network sent a test.",
      );
      expect([code, JSON.parse(answer)]).toEqual([0, { discarded: messageId }]);
    }
    expect(await counts()).toEqual({});
    const { body } = await program.call("GET /account/audit-log", { query: { limit: "200" } });
    const entries = body.items.filter(({ action }: { action: string }) => action === "dead-letter.discard");
    expect(entries).toEqual([
      expect.objectContaining({
        programId,
        subjectId: poison,
        before: { queue: "processor-events", kind: "no_such_kind", ids: { programId } },
        after: { reason: "The network sent a test." },
      }),
    ]);
  }, 240_000);

  it("of the stream are relayed again", async () => {
    const { connection } = platform;
    const { body } = await program.call("POST /cardholders", { body: person });
    const path = { cardholderId: body.data.cardholderId };
    await program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} });
    await platform.settled();
    // The review, for which the bus has a rule, and what came after it.
    const shards = await outboxRecords(connection.store);
    const shard = shards.find(({ kinds }) => kinds.includes("kyc.requested"));
    const { shardId, numbers = [], kinds = [] } = shard ?? {};
    const at = kinds.lastIndexOf("kyc.requested");
    const [first, last, batchSize] = [numbers[at], numbers.at(-1), numbers.length - at];
    await send(deadLettersUrl("outbox-relay"), {
      requestContext: {
        requestId: "0",
        functionArn: relayArn(),
        condition: "RetryAttemptsExhausted",
        approximateInvokeCount: 11,
      },
      responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
      version: "1.0",
      timestamp: new Date().toISOString(),
      DDBStreamBatchInfo: {
        shardId,
        startSequenceNumber: first,
        endSequenceNumber: last,
        approximateArrivalOfFirstRecord: new Date().toISOString(),
        approximateArrivalOfLastRecord: new Date().toISOString(),
        batchSize,
        streamArn: `arn:aws:dynamodb:eu-west-1:000000000000:table/${connection.store.issuingTable}/stream/local`,
      },
    });
    expect(await letters("outbox-relay")).toEqual([
      expect.objectContaining({
        kind: "stream batch",
        ids: { shardId, startSequenceNumber: first, endSequenceNumber: last, batchSize },
        failure: { condition: "RetryAttemptsExhausted", attempts: 11, functionError: "Unhandled" },
      }),
    ]);
    const published = await busEvents();
    expect(await run("redrive", "outbox-relay")).toEqual({ code: 0, said: '{"putBack":1}\n' });
    expect(await busEvents()).toBe(published + 1);
    expect(await counts()).toEqual({});
  }, 180_000);

  it("stays if it cannot be put back", async () => {
    const url = deadLettersUrl("outbox-relay");
    const messageId = await send(url, "what Lambda never says");
    expect(await run("redrive", "outbox-relay")).toMatchObject({ code: 1 });
    expect(await letters("outbox-relay")).toHaveLength(1);
    expect(await run("redrive", "outbox-relay", "00000000-0000-4000-8000-000000000000")).toEqual({
      code: 1,
      said: "outbox-relay has no dead letter 00000000-0000-4000-8000-000000000000.\n",
    });
    expect(await run("discard", "outbox-relay", messageId, "Made by a test.")).toMatchObject({ code: 0 });
    expect(await run("discard", "outbox-relay", messageId, "Made by a test.")).toMatchObject({ code: 1 });
  }, 180_000);

  it("says how to use it", async () => {
    for (const words of [
      ["show"],
      ["show", "no-queue"],
      ["empty", "processor-events"],
      ["discard", "processor-events", "1"],
    ]) {
      const { code, said } = await run(...words);
      expect([code, said]).toEqual([2, expect.stringMatching(/dead-letters show <queue>|The queue is "/)]);
    }
  });

  const relayArn = () => {
    const assembly = readAssembly("cdk.out/local", {
      parameters: { DnsServers: "", AllowedReceivers: "" },
      queueEndpoint: "http://127.0.0.1:1",
    });
    const functions = assembly.ofType("AWS::Lambda::Function");
    return functions.find(({ logicalId }) => logicalId.startsWith("OutboxRelay"))?.arn;
  };
  const busEvents = async () => {
    const trace: unknown = await (await fetch(`${platform.connection.controlUrl}/trace`)).json();
    return JSON.stringify(trace).match(/"kind":"bus-event"/g)?.length ?? 0;
  };
});
