import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { createSqsServer } from "local-aws-sqs";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { VirtualClock } from "../../infra/local/clock.ts";
import { startSqs } from "../../infra/local/engines/sqs.ts";
import { provisionQueues } from "../../infra/local/provision.ts";
import { ACCOUNT, arnOf, givenTemplate, REGION } from "../../infra/local/test/given-template.ts";
import type { OutgoingMessage } from "../../shared/platform/queue/send-batch.ts";
import { resourcesOf, synthesized } from "../infra/synthesized.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "local" };
/** SQS's: messages of a batch have so much together. */
const largestBytes = 1_048_576;
const attempts = 2;
/** Longer than a busy machine takes between two calls. */
const visibilitySeconds = 4;
const longerMs = visibilitySeconds * 1_000 + 300;
/** The older and the newer name of the parameter: one emulation knows only the older. */
const count = ["ApproximateReceiveCount" as const];

interface Engine {
  readonly endpoint: string;
  stop(): Promise<unknown>;
}

/** With the attributes of the template's queues, but a shorter timeout. */
function queueAttributes(): Record<string, string> {
  const found = resourcesOf(synthesized("local").messaging, "AWS::SQS::Queue");
  const [, queue] = found.find(([id]) => id.startsWith("FilesQueue")) ?? [];
  const { QueueName: _, RedrivePolicy: __, ...properties } = queue?.Properties ?? {};
  const attributes = Object.entries({ ...properties, VisibilityTimeout: visibilitySeconds });
  return Object.fromEntries(attributes.map(([name, value]) => [name, String(value)]));
}

const redrive = JSON.stringify({
  deadLetterTargetArn: arnOf("AWS::SQS::Queue", "dead"),
  maxReceiveCount: attempts,
});

const engines: Record<string, (directory: string) => Promise<Engine>> = {
  "the local platform's": async (directory) => {
    const clock = new VirtualClock(join(directory, "clock.json"));
    const engine = await startSqs({ directory: join(directory, "sqs"), clock });
    const template = givenTemplate(
      ["AWS::SQS::Queue", "dead", {}],
      ["AWS::SQS::Queue", "work", { ...queueAttributes(), RedrivePolicy: JSON.parse(redrive) }],
    );
    await provisionQueues(template, engine);
    return { endpoint: engine.endpoint, stop: () => Promise.all([engine.stop(), clock.stop()]) };
  },
  "another one": async () => {
    const server = await createSqsServer({
      port: 0,
      hostname: "127.0.0.1",
      region: REGION,
      accountId: ACCOUNT,
    });
    const { port } = server.address() as AddressInfo;
    const endpoint = `http://127.0.0.1:${port}`;
    const client = new SQSClient({ endpoint, region: REGION, credentials });
    await client.send(new CreateQueueCommand({ QueueName: "dead" }));
    const Attributes = { ...queueAttributes(), RedrivePolicy: redrive };
    await client.send(new CreateQueueCommand({ QueueName: "work", Attributes }));
    client.destroy();
    return { endpoint, stop: () => new Promise((done) => server.close(done)) };
  },
};

/** What the functions and Lambda's pollers rely on, so that it does not hang on one package. */
describe.each(Object.entries(engines))("queues on SQS's emulation: %s", (_, start) => {
  let directory: string;
  let engine: Engine;
  let client: SQSClient;
  let sending: typeof import("../../shared/platform/queue/send-messages.ts");

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), "queues-"));
    engine = await start(directory);
    client = new SQSClient({ endpoint: engine.endpoint, region: REGION, credentials });
    vi.stubEnv("AWS_ENDPOINT_URL_SQS", engine.endpoint);
    vi.stubEnv("AWS_REGION", REGION);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
    // As in Lambda, whose chain of calls goes along.
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "sender");
    vi.stubEnv("_X_AMZN_TRACE_ID", "Root=1-00000000-000000000000000000000001;Lineage=a87bd80c:1");
    vi.resetModules();
    sending = await import("../../shared/platform/queue/send-messages.ts");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    client.destroy();
    await engine.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const url = (queue: string) => `${engine.endpoint}/${ACCOUNT}/${queue}`;
  const send = (...messages: OutgoingMessage[]) => sending.sendMessages(url("work"), messages);
  /** By short polls: one emulation waits to the end of a long one, whatever has come. */
  const receive = async (queue = "work", withinMs = 0): Promise<Message[]> => {
    const names = { AttributeNames: count as [], MessageSystemAttributeNames: count };
    const command = new ReceiveMessageCommand({ QueueUrl: url(queue), MaxNumberOfMessages: 10, ...names });
    for (const endsAtMs = performance.now() + withinMs; ; await delay(50)) {
      const { Messages = [] } = await client.send(command);
      if (Messages.length > 0 || performance.now() >= endsAtMs) return Messages;
    }
  };
  const remove = ({ ReceiptHandle }: Message, queue = "work") =>
    client.send(new DeleteMessageCommand({ QueueUrl: url(queue), ReceiptHandle }));
  const bodies = (messages: readonly Message[]) => messages.map(({ Body }) => JSON.parse(Body ?? "")).sort();

  async function drain(queue = "work"): Promise<unknown[]> {
    const drained: Message[] = [];
    for (let messages = await receive(queue); messages.length > 0; messages = await receive(queue)) {
      drained.push(...messages);
      await Promise.all(messages.map((message) => remove(message, queue)));
    }
    return bodies(drained);
  }

  it("take more than a batch, each once, and what is deleted does not come back", async () => {
    const numbers = Array.from({ length: 25 }, (_, index) => 100 + index);
    await send(...numbers.map((body) => ({ body, groupId: `group-${body % 3}` })));
    expect(await drain()).toEqual(numbers);
  });

  it("hide a message from others until its timeout, and count how often it came", async () => {
    await send({ body: "hidden" });
    const [first] = await receive();
    expect(first?.Attributes?.ApproximateReceiveCount).toBe("1");
    expect(await receive()).toEqual([]);
    const [again] = await receive("work", longerMs);
    expect(again).toMatchObject({ Body: '"hidden"', Attributes: { ApproximateReceiveCount: "2" } });
    await remove(again as Message);
  });

  it("move it to the dead letters after so many attempts", async () => {
    await send({ body: "poison" });
    for (let attempt = 1; attempt <= attempts; attempt += 1)
      expect(bodies(await receive("work", longerMs))).toEqual(["poison"]);
    await delay(longerMs);
    expect(await receive()).toEqual([]);
    expect(await drain("dead")).toEqual(["poison"]);
  });

  it("hold a delayed message back", async () => {
    await send({ body: "late", delaySeconds: 2 }, { body: "now" });
    expect(await drain()).toEqual(["now"]);
    const [late = {}] = await receive("work", 4_000);
    expect(late.Body).toBe('"late"');
    await remove(late);
  });

  it("refuse a batch that is too large whole, and messages that have no room are named", async () => {
    const large = { body: "x".repeat(largestBytes) };
    expect((await sending.sendEach(url("work"), [large]))[0]).toBeInstanceOf(Error);
    expect(await drain()).toEqual([]);
  });

  it("name the queue that is missing", async () => {
    const [error] = await sending.sendEach(url("nowhere"), [{ body: 1 }]);
    expect(error).toMatchObject({ name: "QueueDoesNotExist" });
  });
});
