import { createHash, createHmac, type Hash, type Hmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import * as sdk from "@aws-sdk/lib-dynamodb";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fromAttributes, toAttributes } from "../../../../shared/platform/table/attributes.ts";
import { table } from "../../../../shared/platform/table/client.ts";
import * as own from "../../../../shared/platform/table/commands.ts";

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Answers each call with the next of these, and the last one from then on. */
async function givenServer(...answers: readonly { readonly status?: number; readonly body: object }[]) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const { status = 200, body } = answers[Math.min(calls.length, answers.length - 1)] ?? { body: {} };
    calls.push({ headers: request.headers, body: await text(request) });
    response.writeHead(status, { "x-amzn-requestid": `R${calls.length}` }).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", endpoint);
  return { calls, endpoint, [Symbol.dispose]: () => void server.close().closeAllConnections() };
}

const fault = (name: string, more: object = {}) => ({
  status: 400,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: `It is ${name}.`, ...more },
});
const key = { pk: "a", sk: "b" };
const get = () => table.send(new own.GetCommand({ TableName: "t", Key: key }));

beforeEach(() => {
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY");
  vi.stubEnv("AWS_SESSION_TOKEN", "session");
});
afterEach(() => void vi.unstubAllEnvs());

const item = {
  ...key,
  ...{
    text: 'é\u2028"',
    empty: "",
    zero: 0,
    minor: -12_345,
    rate: 0.1,
    big: 2n ** 60n,
    no: false,
    nothing: null,
  },
  ...{
    bytes: new Uint8Array([0, 1, 255]),
    list: ["a", undefined, 1, [{}]],
    map: { deep: { er: [true] }, gone: undefined },
  },
  ...{ texts: new Set(["a", "b"]), numbers: new Set([1, 2]), blobs: new Set([new Uint8Array([7])]) },
};

class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(key?: Uint8Array) {
    this.#hash = key ? createHmac("sha256", key) : createHash("sha256");
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

describe("items", () => {
  it("are written and read as the SDK does", () => {
    const options = { removeUndefinedValues: true };
    const inJson = (attributes: object) =>
      JSON.parse(
        JSON.stringify(attributes, (_, value) =>
          value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
        ),
      );
    expect(toAttributes(item)).toEqual(inJson(marshall(item, options)));
    expect(fromAttributes(toAttributes(item))).toEqual(unmarshall(marshall(item, options)));
    expect(fromAttributes(marshall(item, options) as never)).toEqual(unmarshall(marshall(item, options)));
  });

  it.each([
    ["a number that is not kept as it is", 2 ** 53],
    ["no number", Number.NaN],
    ["a date", new Date(0)],
    ["an empty set", new Set()],
    ["a mixed set", new Set(["a", 1])],
    ["a function", () => 1],
  ])("are refused with %s", (_, value) => {
    expect(() => toAttributes({ value })).toThrow(TypeError);
  });
});

describe("a call", () => {
  const EAV = { ":one": 1 };
  const TableName = "t";
  const inputs = {
    GetCommand: { TableName, Key: key },
    PutCommand: { TableName, Item: item, ConditionExpression: "a = :one", ExpressionAttributeValues: EAV },
    UpdateCommand: { TableName, Key: key, UpdateExpression: "SET a = :one", ExpressionAttributeValues: EAV },
    DeleteCommand: { TableName, Key: key },
    QueryCommand: { TableName, ExpressionAttributeValues: EAV, ExclusiveStartKey: key },
    ScanCommand: {
      TableName,
      ExclusiveStartKey: key,
      FilterExpression: "a = :one",
      ExpressionAttributeValues: EAV,
    },
    BatchGetCommand: { RequestItems: { Key: { Keys: [key], ConsistentRead: true } } },
    BatchWriteCommand: {
      RequestItems: { Item: [{ PutRequest: { Item: item } }, { DeleteRequest: { Key: key } }] },
    },
    TransactGetCommand: { TransactItems: [{ Get: { TableName, Key: key } }] },
    TransactWriteCommand: {
      ClientRequestToken: "token",
      TransactItems: [
        { Put: { TableName, Item: item } },
        { Update: { TableName, Key: key, UpdateExpression: "SET a = :one", ExpressionAttributeValues: EAV } },
        { Delete: { TableName, Key: key } },
        { ConditionCheck: { TableName, Key: key, ConditionExpression: "a = b" } },
      ],
    },
  } as const;

  it.each(Object.keys(inputs) as (keyof typeof inputs)[])(
    "%s is what the SDK sends, and so its answer",
    async (name) => {
      const wire = toAttributes(item);
      const output = {
        GetCommand: { Item: wire },
        QueryCommand: { Items: [wire], LastEvaluatedKey: toAttributes(key), Count: 1 },
        ScanCommand: { Items: [wire], Count: 1 },
        BatchGetCommand: {
          Responses: { Key: [wire] },
          UnprocessedKeys: { Key: { Keys: [toAttributes(key)] } },
        },
        BatchWriteCommand: { UnprocessedItems: { Item: [{ PutRequest: { Item: wire } }] } },
        TransactGetCommand: { Responses: [{ Item: wire }, {}] },
        TransactWriteCommand: {},
      }[name as "GetCommand"] ?? { Attributes: wire };
      using server = await givenServer({ body: output });
      const { [name]: theirCommand } = sdk;
      const { [name]: ownCommand } = own;
      const client = sdk.DynamoDBDocumentClient.from(new DynamoDBClient({ endpoint: server.endpoint }), {
        marshallOptions: { removeUndefinedValues: true },
      });
      const { $metadata: _, ...expected } = (await client.send(
        new theirCommand(inputs[name] as never) as never,
      )) as {
        $metadata: object;
      };
      client.destroy();
      const answers = [await table.send(new ownCommand(inputs[name] as never) as never)];
      answers.push(await table.send(new theirCommand(inputs[name] as never) as never));
      expect(answers).toEqual([expected, expected]);
      const [theirs, ...ours] = server.calls.map(({ headers, body }) => [
        headers["x-amz-target"],
        headers["content-type"],
        JSON.parse(body),
      ]);
      expect(ours).toEqual([theirs, theirs]);
    },
  );

  it("is signed as AWS wants it", async () => {
    const { SignatureV4 } = await import("@smithy/signature-v4");
    using server = await givenServer({ body: {} });
    await get();
    const [{ headers, body } = { headers: {}, body: "" }] = server.calls;
    const date = String(headers["x-amz-date"]);
    const credentials = {
      accessKeyId: "AKIDEXAMPLE",
      secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
      sessionToken: "session",
    };
    const signer = new SignatureV4({
      ...{
        service: "dynamodb",
        region: "eu-west-1",
        credentials,
        sha256: Sha256 as never,
        applyChecksum: false,
      },
    });
    const { host = "", "content-type": type = "", "x-amz-target": target } = headers;
    const given = { host, "content-type": type, "x-amz-target": String(target) };
    const request = {
      method: "POST",
      protocol: "http:",
      hostname: "127.0.0.1",
      path: "/",
      headers: given,
      body,
    };
    const signingDate = new Date(date.replace(/^(....)(..)(..T..)(..)/, "$1-$2-$3:$4:"));
    const signed = (await signer.sign(request as never, { signingDate })) as unknown as { headers: object };
    expect(headers).toMatchObject({ ...signed.headers, "x-amz-security-token": "session" });
  });

  it("is repeated under throttling and after a fault of DynamoDB", async () => {
    using server = await givenServer(
      fault("ThrottlingException"),
      { status: 500, body: {} },
      { status: 503, body: {} },
      { body: {} },
    );
    expect(await get()).toEqual({});
    expect(server.calls).toHaveLength(4);
    expect(new Set(server.calls.map(({ body }) => body)).size).toBe(1);
  });

  it("fails after four attempts, and says how many it were", async () => {
    using server = await givenServer({ status: 500, body: fault("InternalServerError").body });
    await expect(get()).rejects.toMatchObject({
      name: "InternalServerError",
      message: "It is InternalServerError.",
      $fault: "server",
      $metadata: { httpStatusCode: 500, attempts: 4, requestId: "R4" },
    });
    expect(server.calls).toHaveLength(4);
  });

  it("that DynamoDB refuses fails at once, with all that it says", async () => {
    const CancellationReasons = [{ Code: "ConditionalCheckFailed", Item: toAttributes(key) }];
    using server = await givenServer(fault("TransactionCanceledException", { CancellationReasons }));
    await expect(get()).rejects.toMatchObject({
      name: "TransactionCanceledException",
      $fault: "client",
      $metadata: { attempts: 1 },
      CancellationReasons,
    });
    expect(server.calls).toHaveLength(1);
  });

  it("whose connection ends is repeated, and one to nobody fails with its cause", async () => {
    let attempts = 0;
    const server = createServer(({ socket }) => {
      attempts += 1;
      socket.destroy();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    await expect(get()).rejects.toMatchObject({ code: "ECONNRESET", $metadata: { attempts: 4 } });
    expect(attempts).toBe(4);
    server.close();
    await once(server, "close");
    await expect(get()).rejects.toMatchObject({ code: "ECONNREFUSED" });
  });

  it("without an answer ends after three seconds", { timeout: 30_000 }, async () => {
    let attempts = 0;
    const server = createServer((_, response) => {
      attempts += 1;
      if (attempts > 1) response.end("{}");
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    vi.stubEnv("AWS_ENDPOINT_URL_DYNAMODB", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const startedMs = performance.now();
    expect(await get()).toEqual({});
    expect(performance.now() - startedMs).toBeGreaterThan(2_900);
    expect(attempts).toBe(2);
    server.close().closeAllConnections();
  });

  it("with credentials that are kept elsewhere finds them as the SDK does", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
    vi.stubEnv("AWS_SESSION_TOKEN", undefined);
    using keeper = await givenServer({
      body: { AccessKeyId: "KEPT", SecretAccessKey: "s", Token: "t", Expiration: "2099-01-01T00:00:00Z" },
    });
    vi.stubEnv("AWS_CONTAINER_CREDENTIALS_FULL_URI", keeper.endpoint);
    using server = await givenServer({ body: {} });
    await get();
    expect(server.calls[0]?.headers.authorization).toContain("Credential=KEPT/");
  });
});
