/**
 * `npm run redrive -- <environment> <queue>`: puts the messages that were given up back into their queue, of a deployed environment with the
 * caller's own AWS credentials, or of the platform that runs on this machine.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import {
  DeleteMessageCommand,
  GetQueueUrlCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageCommand,
  SQSClient,
} from "@aws-sdk/client-sqs";
import * as z from "zod";

const queues = [
  "processor-events",
  "webhook-events",
  "callback-delivery",
  "callback-detour",
  "alert-delivery",
];

const usage = `Usage: npm run redrive -- <environment> <queue>

Queues: ${queues.join(", ")}.
Look at the messages and mend what made them fail first: what fails again comes back.`;

/** Where the queues are. */
interface Target {
  readonly sqs: SQSClient;
  readonly environment: string;
  /** The address that a queue has for this client. */
  readonly reachable: (url: string) => string;
}

const Connection = z.object({ processorQueueUrl: z.url() });

try {
  const [environment, queue, ...more] = process.argv.slice(2);
  if (environment === undefined || queue === undefined || !queues.includes(queue) || more.length > 0) {
    throw new Error(usage);
  }
  console.log(`Put back: ${await redrive(await targetOf(environment), queue)}`);
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
}

/**
 * Moves message by message: sent first, deleted then, so that none is lost where this ends in between. One that is moved twice is known as such by
 * its consumer. Answers how many were moved.
 */
async function redrive(target: Target, queue: string): Promise<number> {
  const [from, to] = await Promise.all([urlOf(target, `${queue}-dead-letters`), urlOf(target, queue)]);
  let moved = 0;
  for (;;) {
    const { Messages = [] } = await target.sqs.send(
      new ReceiveMessageCommand({
        QueueUrl: from,
        MaxNumberOfMessages: 10,
        WaitTimeSeconds: 1,
        MessageSystemAttributeNames: ["MessageGroupId"],
      }),
    );
    if (Messages.length === 0) return moved;
    for (const message of Messages) await move(target.sqs, message, from, to);
    moved += Messages.length;
  }
}

async function move(sqs: SQSClient, message: Message, from: string, to: string): Promise<void> {
  const groupId = message.Attributes?.MessageGroupId;
  await sqs.send(
    new SendMessageCommand({
      QueueUrl: to,
      MessageBody: message.Body,
      ...(groupId !== undefined && { MessageGroupId: groupId }),
    }),
  );
  await sqs.send(new DeleteMessageCommand({ QueueUrl: from, ReceiptHandle: message.ReceiptHandle }));
}

async function urlOf({ sqs, environment, reachable }: Target, queue: string): Promise<string> {
  const QueueName = `card-issuing-${environment}-${queue}`;
  const { QueueUrl } = await sqs.send(new GetQueueUrlCommand({ QueueName }));
  if (QueueUrl === undefined) throw new Error(`There is no queue ${QueueName}.`);
  return reachable(QueueUrl);
}

/** The environments' settings load the CDK, which a local command should not wait for. */
async function targetOf(name: string): Promise<Target> {
  if (name === "local") return runningHere();
  const { settingsOf, toEnvironmentName } = await import("./environments.ts");
  const { region } = settingsOf(toEnvironmentName(name));
  return {
    sqs: new SQSClient({ region }),
    environment: name,
    reachable: (url) => url,
  };
}

/** The platform that runs on this machine, as its connection says. */
function runningHere(): Target {
  const directory = path.resolve(process.env.LOCAL_DIR ?? ".local");
  const file = path.join(directory, "connection.json");
  if (!existsSync(file)) throw new Error(`No platform runs in ${directory}. Start it with npm start.`);
  const { origin } = new URL(Connection.parse(JSON.parse(readFileSync(file, "utf8"))).processorQueueUrl);
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  return {
    sqs: new SQSClient({ endpoint: origin, region: "eu-west-1", credentials }),
    environment: "local",
    // The engine names a host that is nowhere.
    reachable: (url) => origin + new URL(url).pathname,
  };
}
