import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { afterEach, describe, expect, it } from "vitest";
import { type AwsEndpoint, openAwsEndpoint } from "../../infra/local/endpoint/aws-endpoint.ts";
import { Mailbox } from "../../infra/local/endpoint/mailbox.ts";
import { Secrets } from "../../infra/local/endpoint/secrets.ts";
import { SigningKeys } from "../../infra/local/endpoint/signing-keys.ts";
import { UsagePlans } from "../../infra/local/usage/usage-plans.ts";
import { forgetful } from "../harness/usage-administration.ts";
import { client, type Played, type Services, startServices } from "./given-events.ts";
import { arnOf, templateOf } from "./template.ts";

let services: Services;
let aws: AwsEndpoint;
let bus: EventBridgeClient;

async function start(targets: object[], functions: Record<string, Played> = {}): Promise<void> {
  const template = templateOf(
    ["AWS::Events::EventBus", "platform"],
    ["AWS::SQS::Queue", "fan-out"],
    ["AWS::SQS::Queue", "narrow", { MaximumMessageSize: 1024 }],
    ["AWS::SQS::Queue", "dead"],
    ["AWS::Lambda::Function", "listener"],
    [
      "AWS::Events::Rule",
      "rule",
      {
        EventBusName: "platform",
        EventPattern: { source: ["ledger"], detail: { kind: ["card.opened", "card.closed"] } },
        Targets: targets,
      },
    ],
  );
  services = await startServices({ template, functions });
  aws = await openAwsEndpoint();
  aws.serve({
    assembly: template,
    invoker: services.invoker,
    invocations: services.events.invocations,
    bus: services.events.bus,
    secrets: new Secrets(template, `${services.directory}/secrets.json`, services.clock),
    keys: new SigningKeys(template, `${services.directory}/kms.json`, services.clock),
    mailbox: new Mailbox(`${services.directory}/mailbox`, services.clock),
    usage: new UsagePlans([], forgetful, services.clock),
  });
  bus = new EventBridgeClient({ ...client, endpoint: aws.endpoint });
}
const put = (...Entries: Partial<PutEventsRequestEntry>[]) =>
  bus.send(
    new PutEventsCommand({
      Entries: Entries.map((entry) => ({
        Source: "ledger",
        DetailType: "Changed",
        EventBusName: "platform",
        Detail: JSON.stringify({ kind: "card.opened" }),
        ...entry,
      })),
    }),
  );

async function stop(): Promise<void> {
  bus.destroy();
  await aws.stop();
  await services.stop();
}

describe("PutEvents", () => {
  afterEach(stop);

  it("has an event in the queue of a matching rule before it answers", async () => {
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "fan-out") }]);
    const { FailedEntryCount, Entries } = await put({
      Time: new Date("2026-03-01T10:00:00.000Z"),
      Resources: ["r"],
    });
    expect(FailedEntryCount).toBe(0);
    const [body = ""] = await services.bodies("fan-out");
    expect(JSON.parse(body)).toEqual({
      version: "0",
      id: Entries?.[0]?.EventId,
      "detail-type": "Changed",
      source: "ledger",
      account: "111122223333",
      time: "2026-03-01T10:00:00Z",
      region: "eu-west-1",
      resources: ["r"],
      detail: { kind: "card.opened" },
    });
  });

  it("takes an event that no rule wants, and leaves it there", async () => {
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "fan-out") }]);
    const { FailedEntryCount } = await put(
      { Detail: '{"kind":"wallet.opened"}' },
      { EventBusName: "default" },
    );
    expect(FailedEntryCount).toBe(0);
    expect(await services.bodies("fan-out")).toEqual([]);
  });

  it("finds a bus by its ARN too", async () => {
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "fan-out") }]);
    await put({ EventBusName: arnOf("AWS::Events::EventBus", "platform") });
    expect(await services.bodies("fan-out")).toHaveLength(1);
  });

  it("answers a faulty entry in its place and puts the others", async () => {
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "fan-out") }]);
    const { FailedEntryCount, Entries } = await put(
      { Detail: "no JSON" },
      {},
      { DetailType: undefined },
      { EventBusName: "nowhere" },
    );
    expect(FailedEntryCount).toBe(3);
    expect(Entries?.map((entry) => entry.ErrorCode ?? "put")).toEqual([
      "MalformedDetail",
      "put",
      "InvalidArgument",
      "NotAuthorizedForSourceException",
    ]);
    expect(await services.bodies("fan-out")).toHaveLength(1);
  });

  it("refuses more than ten entries", async () => {
    await start([]);
    await expect(put(...Array.from({ length: 11 }, () => ({})))).rejects.toMatchObject({
      name: "ValidationException",
    });
  });

  it("hands a queue what the target's input says", async () => {
    await start([{ Id: "fixed", Arn: arnOf("AWS::SQS::Queue", "fan-out"), Input: '{"a":1}' }]);
    await put({});
    expect(await services.bodies("fan-out")).toEqual(['{"a":1}']);
  });

  it("puts an event that its target refuses into the target's dead-letter queue", async () => {
    await start([
      {
        Id: "q",
        Arn: arnOf("AWS::SQS::Queue", "narrow"),
        DeadLetterConfig: { Arn: arnOf("AWS::SQS::Queue", "dead") },
        RetryPolicy: { MaximumRetryAttempts: 3 },
      },
    ]);
    const { FailedEntryCount } = await put({
      Detail: JSON.stringify({ kind: "card.opened", much: "x".repeat(2000) }),
    });
    expect(FailedEntryCount).toBe(0);
    expect(await services.bodies("narrow")).toEqual([]);
    expect(await services.bodies("dead")).toEqual([expect.stringContaining('"kind":"card.opened"')]);
  });

  it("fails an entry whose target has no room and no dead-letter queue, so that its sender puts it again", async () => {
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "narrow") }]);
    const { Entries } = await put({
      Detail: JSON.stringify({ kind: "card.opened", much: "x".repeat(2000) }),
    });
    expect(Entries?.[0]).toMatchObject({ ErrorCode: "InternalFailure" });
  });
});

describe("a function as a rule's target", () => {
  afterEach(stop);

  it("runs with the event", async () => {
    const seen: unknown[] = [];
    await start([{ Id: "f", Arn: arnOf("AWS::Lambda::Function", "listener") }], {
      listener: (event) => void seen.push(event.detail),
    });
    await put({});
    await services.events.settled();
    expect(seen).toEqual([{ kind: "card.opened" }]);
  });

  it("is tried again after one minute and after two more, and no further", async () => {
    const at: number[] = [];
    await start([{ Id: "f", Arn: arnOf("AWS::Lambda::Function", "listener") }], {
      listener: () => {
        at.push(services.clock.now());
        throw new Error("no");
      },
    });
    await put({});
    await services.clock.advance(3600_000);
    const [first = 0, second = 0, third = 0] = at;
    expect(at).toHaveLength(3);
    expect(Math.round((second - first) / 1000)).toBe(60);
    expect(Math.round((third - second) / 1000)).toBe(120);
  });

  it("gets an accepted event after a kill of everything before it ran", async () => {
    const started = Promise.withResolvers<void>();
    const seen: unknown[] = [];
    const never = new Promise<never>(() => undefined);
    await start([{ Id: "f", Arn: arnOf("AWS::Lambda::Function", "listener") }], {
      listener: () => {
        started.resolve();
        return never;
      },
    });
    await put({});
    await started.promise;
    // What a kill leaves: the engine's file, in which the message is still being worked on.
    const { directory } = services;
    await Promise.all([services.dynamo.stop(), services.sqs.stop()]);
    services.clock.stop();
    await aws.stop();
    const template = templateOf(["AWS::Lambda::Function", "listener"]);
    services = await startServices({
      template,
      directory,
      functions: { listener: (event) => void seen.push(event.detail) },
    });
    await services.events.settled();
    expect(seen).toEqual([{ kind: "card.opened" }]);
  });
});

describe("the rules of a template", () => {
  it("are refused for a target that the template lacks", async () => {
    await expect(start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "nowhere") }])).rejects.toThrow(
      "is no queue of the template",
    );
  });
});
