import { createHmac } from "node:crypto";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import {
  DynamoDBClient,
  GetItemCommand,
  QueryCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb";
import { SendMessageBatchCommand, SQSClient } from "@aws-sdk/client-sqs";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { writePlainJson } from "../../../shared/platform/plain-json.ts";
import { settleCalls } from "../../../shared/platform/settled-calls.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";

beforeEach(() => void vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", "cards"));
afterEach(() => void vi.unstubAllEnvs());

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly body: object;
}

/** Answers what is next, else nothing. */
async function givenService() {
  const received: Received[] = [];
  const next: Answer[] = [];
  const server = createServer(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    const { status, body } = next.shift() ?? { status: 200, body: {} };
    response.writeHead(status, { "content-type": "application/x-amz-json-1.0" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { received, next, endpoint };
}

/** Each has a key of its own, which is over at once. */
function newKeys() {
  let count = 0;
  return async () => {
    count += 1;
    return { accessKeyId: `key${count}`, secretAccessKey: `secret${count}`, expiration: new Date(0) };
  };
}

const region = "eu-west-1";

function clientsOf(endpoint: string) {
  const clients = [true, false].map((isSettled) => {
    const client = new DynamoDBClient({ endpoint, region, credentials: newKeys() });
    writePlainJson(client.config.protocol);
    if (isSettled) settleCalls(client);
    return client;
  });
  onTestFinished(() => clients.forEach((client) => void client.destroy()));
  return clients as [DynamoDBClient, DynamoDBClient];
}

/** The signature (Signature Version 4) of what was received, by the key that it names. */
function signedAnew({ headers, body }: Received): string {
  const { authorization = "" } = headers;
  const [, key = "", scope = "", names = ""] =
    /Credential=(\w+)\/([^,]+), SignedHeaders=([^,]+)/.exec(authorization) ?? [];
  const lines = names.split(";").map((name) => `${name}:${headers[name]}\n`);
  const canonical = `POST\n/\n\n${lines.join("")}\n${names}\n${sha256(body)}`;
  const signed = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(canonical)].join("\n");
  const secret: string | Buffer = `AWS4${key.replace("key", "secret")}`;
  const signingKey = scope.split("/").reduce<string | Buffer>(hmac, secret);
  return hmac(signingKey, signed).toString("hex");
}

function hmac(key: string | Buffer, value: string): Buffer {
  return createHmac("sha256", key).update(value).digest();
}

const read = (id: string) => new GetItemCommand({ TableName: "cards", Key: { pk: { S: id } } });

describe("settled calls", () => {
  it("differ from the SDK's own in nothing, each with its body, target and a signature of its own", async () => {
    const { received, endpoint } = await givenService();
    const [settled, bare] = clientsOf(endpoint);
    const query = () => new QueryCommand({ TableName: "cards", KeyConditionExpression: "pk = :pk" });
    for (const client of [bare, settled]) {
      await client.send(read("a"));
      await client.send(query());
      await Promise.all(["b", "ü"].map((id) => client.send(read(id))));
    }
    expect(received.map(signedAnew)).toEqual(
      received.map(({ headers }) => /Signature=(\w+)/.exec(headers.authorization ?? "")?.[1]),
    );
    const without = ({ headers, body }: Received) => {
      const { authorization, "amz-sdk-invocation-id": id, "x-amz-date": date, ...others } = headers;
      return { ...others, body };
    };
    const all = received.map(without);
    expect(all.slice(4)).toEqual(all.slice(0, 4));
    expect(new Set(received.map(({ headers }) => headers["amz-sdk-invocation-id"])).size).toBe(8);
  });

  it("are signed with the key that the SDK has then", async () => {
    const { received, endpoint } = await givenService();
    const [settled] = clientsOf(endpoint);
    for (const id of ["a", "b", "c"]) await settled.send(read(id));
    const keys = received.map(({ headers }) => /Credential=(\w+)/.exec(headers.authorization ?? "")?.[1]);
    expect(new Set(keys).size).toBe(3);
  });

  it("are repeated by the SDK, and told its errors", async () => {
    const { received, next, endpoint } = await givenService();
    const [settled] = clientsOf(endpoint);
    await settled.send(read("a"));
    next.push({ status: 500, body: { __type: "InternalServerError" } });
    const { $metadata } = await settled.send(read("b"));
    expect($metadata.attempts).toBe(2);
    const bodies = received.map(({ body }) => JSON.parse(body).Key.pk.S);
    expect(bodies).toEqual(["a", "b", "b"]);
    next.push({ status: 400, body: { __type: "ResourceNotFoundException", message: "none" } });
    await expect(settled.send(read("c"))).rejects.toBeInstanceOf(ResourceNotFoundException);
  });

  it("begin anew if the first fails before it is sent", async () => {
    const { received, endpoint } = await givenService();
    const credentials = vi.fn(newKeys()).mockRejectedValueOnce(new Error("no key"));
    const client = new DynamoDBClient({ endpoint, region, credentials });
    onTestFinished(() => client.destroy());
    writePlainJson(client.config.protocol);
    settleCalls(client);
    await expect(client.send(read("a"))).rejects.toThrow("no key");
    await client.send(read("b"));
    expect(received.map(({ body }) => JSON.parse(body).Key.pk.S)).toEqual(["b"]);
  });

  it("of a queue keep what the SDK checks of them", async () => {
    const { received, next, endpoint } = await givenService();
    const queues = new SQSClient({ endpoint, region, credentials: newKeys(), useQueueUrlAsEndpoint: false });
    onTestFinished(() => queues.destroy());
    writePlainJson(queues.config.protocol);
    settleCalls(queues);
    const send = (...bodies: string[]) => {
      const Entries = bodies.map((MessageBody, index) => ({ Id: `${index}`, MessageBody }));
      return queues.send(new SendMessageBatchCommand({ QueueUrl: `${endpoint}/1/queue`, Entries }));
    };
    const answered = (MD5OfMessageBody: string) =>
      void next.push({ status: 200, body: { Successful: [{ Id: "0", MD5OfMessageBody }], Failed: [] } });
    answered("5d41402abc4b2a76b9719d911017c592");
    await send("hello");
    answered("7d793037a0760186574b0282f2f435e7");
    await send("world");
    answered("5d41402abc4b2a76b9719d911017c592");
    await expect(send("world")).rejects.toThrow("Invalid MD5 checksum");
    expect(received.map(({ body }) => JSON.parse(body).Entries[0].MessageBody)).toEqual([
      "hello",
      "world",
      "world",
    ]);
  });
});
