import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import {
  ChangeMessageVisibilityCommand,
  DeleteMessageCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { VirtualClock } from "../clock.ts";
import { type SqsEngine, startSqs } from "../engines/sqs.ts";
import { provisionQueues } from "../provision.ts";
import { ACCOUNT, arnOf, givenTemplate, REGION } from "./given-template.ts";

const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const dead = arnOf("AWS::SQS::Queue", "dead");
const template = givenTemplate(
  ["AWS::SQS::Queue", "dead", { MessageRetentionPeriod: 1209600 }],
  [
    "AWS::SQS::Queue",
    "work",
    { VisibilityTimeout: 60, RedrivePolicy: { deadLetterTargetArn: dead, maxReceiveCount: 2 } },
  ],
);

let directory: string;
let clock: VirtualClock;
let engine: SqsEngine;
let client: SQSClient;

const url = (queue: string) => `${engine.endpoint}/${ACCOUNT}/${queue}`;
const send = (queue: string, MessageBody: string, DelaySeconds?: number) =>
  client.send(new SendMessageCommand({ QueueUrl: url(queue), MessageBody, DelaySeconds }));
const receive = async (queue: string, WaitTimeSeconds = 0): Promise<Message[]> =>
  (
    await client.send(
      new ReceiveMessageCommand({
        QueueUrl: url(queue),
        MaxNumberOfMessages: 10,
        WaitTimeSeconds,
        MessageSystemAttributeNames: ["ApproximateReceiveCount"],
      }),
    )
  ).Messages ?? [];
const bodies = (messages: Message[]) => messages.map((message) => message.Body).sort();

async function start(): Promise<void> {
  engine = await startSqs({ directory: join(directory, "sqs"), clock });
  await provisionQueues(template, engine);
  client = new SQSClient({ endpoint: engine.endpoint, region: REGION, credentials });
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "sqs-"));
  clock = new VirtualClock(join(directory, "clock.json"));
  clock.addPart({ nextDueAt: () => engine.nextDueAt(), wake: () => engine.wake() });
  await start();
});
afterEach(async () => {
  await engine.stop();
  clock.stop();
  rmSync(directory, { recursive: true, force: true });
});

describe("the queue engine over a restart", () => {
  it("has every message, ready, delayed, and one that its consumer put off", async () => {
    await send("work", "ready");
    await send("work", "delayed", 300);
    await send("work", "put off");
    const taken = await receive("work");
    for (const { Body, ReceiptHandle } of taken) {
      const VisibilityTimeout = Body === "put off" ? 600 : 0;
      await client.send(
        new ChangeMessageVisibilityCommand({ QueueUrl: url("work"), ReceiptHandle, VisibilityTimeout }),
      );
    }
    await engine.stop();
    await start();
    expect(bodies(await receive("work"))).toEqual(["ready"]);
    await clock.advance(301_000);
    expect(bodies(await receive("work"))).toContain("delayed");
    await clock.advance(300_000);
    expect(bodies(await receive("work"))).toContain("put off");
  });

  it("gives a message that was being worked on when it ended to the next consumer at once", async () => {
    await send("work", "unfinished");
    expect(await receive("work")).toHaveLength(1);
    await engine.stop();
    await start();
    const [message] = await receive("work");
    expect(message?.Body).toBe("unfinished");
    expect(message?.Attributes?.ApproximateReceiveCount).toBe("2");
  });

  it("does not deliver a deleted message again", async () => {
    await send("work", "done");
    const [message] = await receive("work");
    await client.send(
      new DeleteMessageCommand({ QueueUrl: url("work"), ReceiptHandle: message?.ReceiptHandle }),
    );
    await engine.stop();
    await start();
    expect(await receive("work")).toEqual([]);
  });

  it("loses nothing that it answered before a kill", async () => {
    await engine.stop();
    const here = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
    const program = `
      import { SendMessageBatchCommand, SQSClient } from ${JSON.stringify(import.meta.resolve("@aws-sdk/client-sqs"))};
      import { startSqs } from ${here("../engines/sqs.ts")};
      import { provisionQueues } from ${here("../provision.ts")};
      import { givenTemplate } from ${here("./given-template.ts")};
      const clock = { sharedOffset: new SharedArrayBuffer(8) };
      const engine = await startSqs({ directory: ${JSON.stringify(join(directory, "sqs"))}, clock });
      await provisionQueues(givenTemplate(["AWS::SQS::Queue", "work"]), engine);
      const client = new SQSClient({ endpoint: engine.endpoint, region: "eu-west-1", credentials: ${JSON.stringify(credentials)} });
      for (let sent = 0; ; sent += 1) {
        const Entries = [{ Id: "a", MessageBody: "a" + sent }, { Id: "b", MessageBody: "b" + sent }];
        await client.send(new SendMessageBatchCommand({ QueueUrl: engine.endpoint + "/${ACCOUNT}/work", Entries }));
        process.stdout.write("a" + sent + " b" + sent + " ");
      }`;
    const sender = spawn(process.execPath, ["--input-type=module-typescript", "-e", program], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    for await (const chunk of sender.stdout) {
      output += chunk;
      if (output.length > 1000 && !sender.killed) sender.kill("SIGKILL");
    }
    if (sender.exitCode === null && sender.signalCode === null) await once(sender, "exit");
    await start();
    const answered = output.slice(0, output.lastIndexOf(" ")).split(" ");
    const found = new Set<string | undefined>();
    for (let batch = await receive("work"); batch.length > 0; batch = await receive("work")) {
      for (const { Body } of batch) found.add(Body);
    }
    expect(answered.length).toBeGreaterThan(100);
    expect(answered.filter((body) => !found.has(body))).toEqual([]);
  });
});

describe("the queue engine on the virtual clock", () => {
  it("wakes a waiting receive when a delay has passed", async () => {
    await send("work", "later", 900);
    const waiting = receive("work", 20);
    await clock.advance(900_000);
    expect(bodies(await waiting)).toEqual(["later"]);
  });

  it("forgets a message with its retention period", async () => {
    await send("work", "old");
    await clock.advance(4 * 86_400_000 - 60_000);
    await send("work", "new");
    await clock.advance(60_000);
    expect(bodies(await receive("work"))).toEqual(["new"]);
  });

  it("says when the next message falls due", async () => {
    expect(await engine.nextDueAt()).toBeUndefined();
    await send("work", "b", 200);
    await send("work", "a", 100);
    expect(((await engine.nextDueAt()) ?? 0) - clock.now()).toBeGreaterThan(90_000);
    expect(((await engine.nextDueAt()) ?? 0) - clock.now()).toBeLessThanOrEqual(100_000);
  });
});

describe("the queue engine in real time", () => {
  it("wakes a receive that waits already for what is delayed, and for what comes back", async () => {
    const waiting = receive("work", 20);
    await delay(200);
    await send("work", "soon", 1);
    const [message] = await waiting;
    expect(message?.Body).toBe("soon");
    const again = receive("work", 20);
    const { ReceiptHandle } = message ?? {};
    const VisibilityTimeout = 1;
    await client.send(
      new ChangeMessageVisibilityCommand({ QueueUrl: url("work"), ReceiptHandle, VisibilityTimeout }),
    );
    expect(bodies(await again)).toEqual(["soon"]);
  });
});

describe("provisioning queues", () => {
  it("brings a queue to a changed template and keeps its messages", async () => {
    await send("work", "kept");
    await provisionQueues(givenTemplate(["AWS::SQS::Queue", "work", { VisibilityTimeout: 5 }]), engine);
    expect(bodies(await receive("work"))).toEqual(["kept"]);
    await clock.advance(5_000);
    expect(bodies(await receive("work"))).toEqual(["kept"]);
    await clock.advance(5_000);
    // The redrive policy is gone: a third time, and no dead letter.
    expect(bodies(await receive("work"))).toEqual(["kept"]);
  });

  it("rejects a redrive policy to a queue that is not in the template", async () => {
    const policy = { deadLetterTargetArn: arnOf("AWS::SQS::Queue", "none"), maxReceiveCount: 1 };
    await expect(
      provisionQueues(givenTemplate(["AWS::SQS::Queue", "work", { RedrivePolicy: policy }]), engine),
    ).rejects.toThrow("is no queue of the template");
  });
});
