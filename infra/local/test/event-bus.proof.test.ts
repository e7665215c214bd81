import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from "@aws-sdk/client-eventbridge";
import { afterEach, describe, expect, it } from "vitest";
import { type AwsEndpoint, openAwsEndpoint } from "../endpoint/aws-endpoint.ts";
import { openKeys } from "../endpoint/kms.ts";
import { openMailbox } from "../endpoint/mailbox.ts";
import { openObjectStore } from "../endpoint/object-store.ts";
import { openSecrets } from "../endpoint/secrets.ts";
import { UsagePlans } from "../endpoint/usage-plans.ts";
import { forgetful } from "./forgetful.ts";
import { client, givenServices, type Services } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

let services: Services;
let aws: AwsEndpoint;
let bus: EventBridgeClient;

async function start(targets: object[]): Promise<void> {
  const template = givenTemplate(
    ["AWS::Events::EventBus", "platform"],
    ["AWS::SQS::Queue", "fan-out"],
    ["AWS::SQS::Queue", "narrow", { MaximumMessageSize: 1024 }],
    ["AWS::SQS::Queue", "dead"],
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
  services = await givenServices({ template });
  aws = await openAwsEndpoint();
  aws.serve({
    invoker: services.invoker,
    knows: () => false,
    bus: services.events.bus,
    secrets: openSecrets(template, `${services.directory}/secrets.json`, services.clock),
    keys: openKeys(template, `${services.directory}/kms.json`),
    mailbox: openMailbox(`${services.directory}/mailbox`, services.clock),
    usage: new UsagePlans([], forgetful, services.clock),
    objects: openObjectStore(template, `${services.directory}/files`, services.events.bus),
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

  it("rejects more than ten entries", async () => {
    await start([]);
    await expect(put(...Array.from({ length: 11 }, () => ({})))).rejects.toMatchObject({
      name: "ValidationException",
    });
  });

  it("puts an event that its target rejects into the target's dead-letter queue", async () => {
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

  it("puts what the input transformer names into the queue, and what it cannot transform into the dead letters", async () => {
    const DeadLetterConfig = { Arn: arnOf("AWS::SQS::Queue", "dead") };
    const InputTransformer = {
      InputPathsMap: { "detail-id": "$.detail.id", kind: "$.detail.kind" },
      InputTemplate: '{"detail":{"id":<detail-id>,"kind":<kind>}}',
    };
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "fan-out"), DeadLetterConfig, InputTransformer }]);
    const detail = { kind: "card.opened", id: { of: 'a "card"' } };
    await put({ Detail: JSON.stringify({ ...detail, name: "Ada" }) });
    expect((await services.bodies("fan-out")).map((body) => JSON.parse(body))).toEqual([{ detail }]);
    await put({ Detail: JSON.stringify({ kind: "card.opened" }) });
    expect(await services.bodies("dead")).toHaveLength(1);
  });

  it("fails an entry whose target has no room and no dead-letter queue, so that its sender puts it again", async () => {
    await start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "narrow") }]);
    const { Entries } = await put({
      Detail: JSON.stringify({ kind: "card.opened", much: "x".repeat(2000) }),
    });
    expect(Entries?.[0]).toMatchObject({ ErrorCode: "InternalFailure" });
  });
});

describe("the rules of a template", () => {
  it("are rejected if their target is not in the template", async () => {
    await expect(start([{ Id: "q", Arn: arnOf("AWS::SQS::Queue", "nowhere") }])).rejects.toThrow(
      "is no queue of the template",
    );
  });
});
