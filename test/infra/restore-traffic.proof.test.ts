import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { admitTraffic, stoppedSettings, stopTraffic } from "../../infra/commands/restore/aws-restoration.ts";
import { readSettings } from "../../infra/environments.ts";
import { type EmulatedAws, startEmulatedAws } from "./aws/emulated-aws.ts";
import { type Resource, synthesized } from "./synthesized.ts";

const settings = readSettings("production");
const { account, region } = settings;
const queues = ["processor-events", "files", "evidence", "background-jobs"];
const functions = { authorizer: 150, "processor-events": 200, deadlines: 1 };
const nameOf = (folder: string) => `card-issuing-production-${folder}`;
const arnOf = (queue: string) => `arn:aws:sqs:${region}:${account}:${nameOf(queue)}`;

let aws: EmulatedAws;
let lambda: LambdaClient;
beforeAll(async () => {
  aws = await startEmulatedAws({ account, region, invoke: async () => ({ output: {} }) });
  const credentials = { accessKeyId: "one", secretAccessKey: "secret" };
  lambda = new LambdaClient({ region, endpoint: aws.endpoint, credentials, maxAttempts: 1 });
});
afterAll(() => aws.stop());
beforeEach(() => {
  for (const [folder, reserved] of Object.entries(functions)) {
    const warm = folder === "processor-events" ? ["7"] : [];
    aws.versions.functions.set(nameOf(folder), {
      published: ["7"],
      warm,
      reserved,
      aliases: { live: { version: "7" } },
    });
  }
  for (const queue of [...queues, "callback-delivery"])
    aws.versions.mappings.set(arnOf(queue), { isOn: true, isChanging: false });
});

const place = () => ({ lambda, settings, pollMs: 1, say: () => {} });
const reserved = () => Object.keys(functions).map((one) => aws.versions.functions.get(nameOf(one))?.reserved);
const warm = () => aws.versions.functions.get(nameOf("processor-events"))?.warm;
const waiting = () => [...aws.versions.mappings].flatMap(([arn, { isOn }]) => (isOn ? [] : [arn]));

describe("traffic during a restore", () => {
  test("is stopped and let in again, each as often as it is asked", async () => {
    for (const _ of [1, 2]) {
      await stopTraffic(place());
      expect([reserved(), warm(), waiting()]).toEqual([[0, 0, 0], [], queues.map(arnOf)]);
    }
    await admitTraffic(place());
    expect([reserved(), warm(), waiting()]).toEqual([[150, 200, 1], ["7"], []]);
    await admitTraffic(place());
    expect([reserved(), waiting()]).toEqual([[150, 200, 1], []]);
  });

  test("shares the account's concurrency again where nothing is reserved", async () => {
    const shared = { ...place(), settings: { ...settings, concurrency: {} } };
    await stopTraffic(shared);
    await admitTraffic(shared);
    expect(reserved()).toEqual([undefined, undefined, 1]);
  });

  test("is not let in, and not forgotten, where Lambda refuses", async () => {
    aws.versions.functions.delete(nameOf("deadlines"));
    await expect(stopTraffic(place())).rejects.toThrow();
    await expect(admitTraffic(place())).rejects.toThrow();
    expect(reserved().slice(0, 2)).toEqual([0, 0]);
  });
});

describe("templates of a deployment while traffic is stopped", () => {
  const templates = (given: typeof settings) => {
    const { api, messaging } = synthesized("production", given);
    const resources = [api, messaging].flatMap((stack) =>
      Object.entries(stack.toJSON().Resources as Record<string, Resource>),
    );
    const concurrency = Object.keys(functions).map((folder) => {
      const found = resources.find(([, { Properties }]) => Properties?.FunctionName === nameOf(folder));
      return found?.[1].Properties.ReservedConcurrentExecutions;
    });
    const version = resources.find(
      ([id, { Type }]) => Type === "AWS::Lambda::Version" && id.startsWith("ProcessorEvents"),
    );
    return { concurrency, version };
  };

  test("reserve nothing and keep nothing started; what follows is another version, which does", () => {
    const [stopped, usual] = [templates(stoppedSettings(settings)), templates(settings)];
    expect(stopped.concurrency).toEqual([0, 0, 0]);
    expect(usual.concurrency).toEqual(Object.values(functions));
    expect(stopped.version?.[1].Properties.ProvisionedConcurrencyConfig).toBeUndefined();
    expect(usual.version?.[1].Properties.ProvisionedConcurrencyConfig).toBeDefined();
    expect(usual.version?.[0]).not.toBe(stopped.version?.[0]);
  });
});
