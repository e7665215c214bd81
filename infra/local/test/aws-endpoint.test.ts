import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import {
  GetSecretValueCommand,
  ListSecretsCommand,
  SecretsManagerClient,
} from "@aws-sdk/client-secrets-manager";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { type AwsEndpoint, openAwsEndpoint } from "../endpoint/aws-endpoint.ts";
import { openKeys } from "../endpoint/kms.ts";
import { openMailbox } from "../endpoint/mailbox.ts";
import { openObjectStore } from "../endpoint/object-store.ts";
import { openSecrets } from "../endpoint/secrets.ts";
import { UsagePlans } from "../endpoint/usage-plans.ts";
import { InvocationRejected } from "../interfaces.ts";
import { forgetful } from "./forgetful.ts";
import { client, givenServices, type Played, type Services } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

const template = givenTemplate(
  ["AWS::Lambda::Function", "echo"],
  ["AWS::Lambda::Function", "failing"],
  ["AWS::Lambda::Function", "busy"],
  [
    "AWS::SecretsManager::Secret",
    "pepper",
    { GenerateSecretString: { PasswordLength: 64, ExcludePunctuation: true } },
  ],
);
const seen: unknown[] = [];
const functions: Record<string, Played> = {
  echo: (event) => {
    seen.push(event);
    return event;
  },
  failing: () => {
    throw new Error("it failed");
  },
  busy: () => {
    throw new InvocationRejected("TooManyRequestsException", "Rate Exceeded.");
  },
};

let services: Services;
let aws: AwsEndpoint;
let lambda: LambdaClient;
let secretsManager: SecretsManagerClient;

beforeAll(async () => {
  services = await givenServices({ template, functions });
  aws = await openAwsEndpoint();
  lambda = new LambdaClient({ ...client, endpoint: aws.endpoint, maxAttempts: 1 });
  secretsManager = new SecretsManagerClient({ ...client, endpoint: aws.endpoint, maxAttempts: 1 });
});
afterAll(async () => {
  lambda.destroy();
  secretsManager.destroy();
  await aws.stop();
  await services.stop();
});

const invoke = (FunctionName: string, payload: unknown, more: object = {}) =>
  lambda.send(new InvokeCommand({ FunctionName, Payload: JSON.stringify(payload), ...more }));
const payloadOf = (answer: { Payload?: Uint8Array }) =>
  JSON.parse(Buffer.from(answer.Payload ?? []).toString());

describe("the AWS endpoint", () => {
  it("answers 503 until its handlers are set", async () => {
    await expect(invoke("echo", {})).rejects.toMatchObject({ $metadata: { httpStatusCode: 503 } });
    aws.serve({
      invoker: services.invoker,
      knows: (name) => template.ofType("AWS::Lambda::Function").some((one) => one.physicalName === name),
      bus: services.events.bus,
      secrets: openSecrets(template, join(services.directory, "secrets.json"), services.clock),
      keys: openKeys(template, join(services.directory, "kms.json")),
      mailbox: openMailbox(join(services.directory, "mailbox"), services.clock),
      usage: new UsagePlans([], forgetful, services.clock),
      objects: openObjectStore(template, join(services.directory, "files"), services.events.bus),
    });
    expect((await invoke("echo", {})).StatusCode).toBe(200);
  });

  it("rejects requests from a browser's page", async () => {
    seen.length = 0;
    const url = `${aws.endpoint}/2015-03-31/functions/echo/invocations`;
    const headers = { origin: "https://example.com" };
    expect((await fetch(url, { method: "POST", body: "{}", headers })).status).toBe(403);
    expect(seen).toEqual([]);
  });

  it("names what it does not serve", async () => {
    await expect(secretsManager.send(new ListSecretsCommand({}))).rejects.toMatchObject({
      name: "UnknownOperationException",
      message: expect.stringContaining("secretsmanager.ListSecrets"),
    });
  });
});

describe("Lambda's Invoke", () => {
  it.each([
    "echo",
    arnOf("AWS::Lambda::Function", "echo"),
    `${arnOf("AWS::Lambda::Function", "echo")}:$LATEST`,
  ])("answers with the function's answer, for %s", async (name) => {
    const played = name.endsWith("$LATEST") ? undefined : name;
    const answer = await invoke(played ?? arnOf("AWS::Lambda::Function", "echo"), { a: [1, "ü"] });
    expect(answer).toMatchObject({ StatusCode: 200, ExecutedVersion: "$LATEST" });
    expect(answer.FunctionError).toBeUndefined();
    expect(payloadOf(answer)).toEqual({ a: [1, "ü"] });
  });

  it("distinguishes a function's error from a rejected invocation", async () => {
    const answer = await invoke("failing", {});
    expect(answer).toMatchObject({ StatusCode: 200, FunctionError: "Unhandled" });
    expect(payloadOf(answer)).toEqual({ errorMessage: "Error: it failed" });
    await expect(invoke("nobody", {})).rejects.toMatchObject({ name: "ResourceNotFoundException" });
    await expect(invoke("busy", {})).rejects.toMatchObject({ name: "TooManyRequestsException" });
  });

  it("tries out whether a function can be invoked, without running it", async () => {
    seen.length = 0;
    const answer = await invoke("echo", {}, { InvocationType: "DryRun" });
    expect(answer).toMatchObject({ StatusCode: 204 });
    expect(seen).toEqual([]);
    await expect(invoke("nobody", {}, { InvocationType: "DryRun" })).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });

  it("rejects an asynchronous invocation, which nothing here makes", async () => {
    await expect(invoke("echo", {}, { InvocationType: "Event" })).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
  });

  it("rejects a payload that is not JSON", async () => {
    await expect(
      lambda.send(new InvokeCommand({ FunctionName: "echo", Payload: "{" })),
    ).rejects.toMatchObject({
      $metadata: { httpStatusCode: 400 },
    });
  });
});

describe("Secrets Manager's GetSecretValue", () => {
  it("gives a generated secret by name and by ARN", async () => {
    const byName = await secretsManager.send(new GetSecretValueCommand({ SecretId: "pepper" }));
    expect(byName.SecretString).toMatch(/^[A-Za-z0-9]{64}$/);
    expect(byName.CreatedDate).toBeInstanceOf(Date);
    const SecretId = arnOf("AWS::SecretsManager::Secret", "pepper");
    const byArn = await secretsManager.send(new GetSecretValueCommand({ SecretId }));
    expect(byArn.SecretString).toBe(byName.SecretString);
  });

  it("answers ResourceNotFoundException for other secrets", async () => {
    await expect(secretsManager.send(new GetSecretValueCommand({ SecretId: "salt" }))).rejects.toMatchObject({
      name: "ResourceNotFoundException",
    });
  });
});

describe("the secrets of a template", () => {
  const directory = mkdtempSync(join(tmpdir(), "secrets-"));
  const file = join(directory, "secrets.json");
  const clock = { now: () => Date.parse("2026-03-01") };
  const secretOf = (properties: object) => {
    const one = givenTemplate(["AWS::SecretsManager::Secret", "one", properties]);
    return String(openSecrets(one, file, clock).find("one")?.SecretString);
  };
  afterEach(() => rmSync(file, { force: true }));
  afterAll(() => rmSync(directory, { recursive: true }));

  it("are made once, in a file that only its owner reads", () => {
    const first = secretOf({});
    expect(secretOf({})).toBe(first);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    rmSync(file);
    expect(secretOf({})).not.toBe(first);
  });

  it("have a character of every kind that is not left out", () => {
    const value = secretOf({ GenerateSecretString: { PasswordLength: 4 } });
    for (const kind of [/[a-z]/, /[A-Z]/, /[0-9]/, /[^a-zA-Z0-9]/]) expect(value).toMatch(kind);
  });

  it("leave out punctuation where the template says so", () => {
    expect(secretOf({ GenerateSecretString: { ExcludePunctuation: true } })).toMatch(/^[a-zA-Z0-9]{32}$/);
  });

  it.each([{ Lenght: 3 }, { SecretStringTemplate: "{}", GenerateStringKey: "a" }])(
    "refuse what is not known: %o",
    (options) => {
      expect(() => secretOf({ GenerateSecretString: options })).toThrow(Object.keys(options)[0]);
    },
  );
});
