import { join } from "node:path";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { expect, it, onTestFinished } from "vitest";
import { readAssembly } from "../assembly.ts";
import { VirtualClock } from "../clock.ts";
import { startSqs } from "../engines/sqs.ts";
import { prepareEvents } from "../events/prepare-events.ts";
import { FunctionRuntime } from "../function-runtime.ts";
import { provisionQueues } from "../provision.ts";
import { memoryTrace } from "../telemetry.ts";
import { code, givenAssembly, temporaryDirectory } from "./given-assembly.ts";
import { noRules } from "./given-function.ts";
import { client } from "./given-services.ts";

const steps = 40;
const queue = "arn:aws:sqs:eu-west-1:111122223333:work";
const deadLetters = "arn:aws:sqs:eu-west-1:111122223333:dead";

/** Sends each message back to its queue, with the header that the SDK takes from Lambda. */
const source = `
export const handler = async ({ Records }) => {
  for (const { body } of Records) {
    if (Number(body) >= ${steps}) continue;
    const answer = await fetch(process.env.AWS_ENDPOINT_URL_SQS, {
      method: "POST",
      headers: {
        "content-type": "application/x-amz-json-1.0",
        "x-amz-target": "AmazonSQS.SendMessage",
        "x-amzn-trace-id": process.env._X_AMZN_TRACE_ID,
      },
      body: JSON.stringify({ QueueUrl: "http://sqs/work", MessageBody: String(Number(body) + 1) }),
    });
    if (!answer.ok) throw new Error(await answer.text());
  }
};`;

async function playLoop(properties: object) {
  const directory = temporaryDirectory();
  const clock = new VirtualClock(join(directory, "clock.json"));
  const sqs = await startSqs({ directory: join(directory, "sqs"), clock });
  const resources = {
    Dead: { Type: "AWS::SQS::Queue", Properties: { QueueName: "dead" } },
    Queue: {
      Type: "AWS::SQS::Queue",
      Properties: {
        QueueName: "work",
        VisibilityTimeout: 1,
        RedrivePolicy: { deadLetterTargetArn: deadLetters, maxReceiveCount: 2 },
      },
    },
    Work: {
      Type: "AWS::Lambda::Function",
      Properties: {
        FunctionName: "work",
        Code: code("work"),
        Handler: "index.handler",
        Runtime: "nodejs24.x",
        ...properties,
      },
    },
    Mapping: {
      Type: "AWS::Lambda::EventSourceMapping",
      Properties: { EventSourceArn: queue, FunctionName: "work" },
    },
  };
  const assembly = readAssembly(givenAssembly({ service: { Resources: resources } }, { work: source }), {
    parameters: {},
    queueEndpoint: sqs.endpoint,
  });
  await provisionQueues(assembly, sqs);
  const trace = memoryTrace(clock);
  const invoker = new FunctionRuntime({
    assembly,
    clock,
    trace,
    variables: { AWS_ENDPOINT_URL_SQS: sqs.endpoint },
    rules: noRules,
    logDirectory: directory,
    observe: () => void invocations.count++,
  });
  const invocations = { count: 0 };
  const dynamo = {
    endpoint: "http://127.0.0.1:1",
    commitMarker: () => undefined,
    nextChange: () => Promise.resolve(false),
  };
  const events = prepareEvents({ assembly, dynamo, sqs, clock, invoker, trace, directory });
  const sender = new SQSClient({ ...client, endpoint: sqs.endpoint });
  onTestFinished(async () => {
    clock.stop();
    await events.stop();
    await invoker.close();
    sender.destroy();
    await sqs.stop();
  });
  await events.start();
  await sender.send(new SendMessageCommand({ QueueUrl: `${sqs.endpoint}/1/work`, MessageBody: "1" }));
  await events.settled();
  return {
    invocations,
    /** After the visibility timeout, as often as the queue allows. */
    deadLetters: async () => {
      await expect.poll(() => sqs.readyCount("dead"), { timeout: 20_000 }).toBe(1);
      const [message] = await sqs.receive("dead", 1, 0);
      return message?.body;
    },
  };
}

it("a function that sends to its own queue is stopped after 16, and its message is a dead letter", async () => {
  const { invocations, deadLetters } = await playLoop({});
  expect(await deadLetters()).toBe("17");
  expect(invocations.count).toBe(16);
});

it("one that allows loops is not", async () => {
  const { invocations } = await playLoop({ RecursiveLoop: "Allow" });
  await expect.poll(() => invocations.count, { timeout: 20_000 }).toBe(steps);
});
