import { createServer, type IncomingHttpHeaders } from "node:http";
import { DynamoDBClient, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { expect, it, onTestFinished } from "vitest";
import { writePlainJson } from "../../../shared/platform/plain-json.ts";
import { shortenCalls } from "../../../shared/platform/short-calls.ts";
import { listen } from "../../harness/listen.ts";

interface Call {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What DynamoDB answers: a status and JSON, or the end of the connection. */
type Answer = readonly [status: number, body: object] | undefined;

const found: Answer = [200, { Item: { pk: { S: "a" } } }];
const error = (name: string): object => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  message: name,
});

/** A client whose calls are answered in turn. The last answer is for all that follow. */
async function givenClient(...answers: Answer[]) {
  const calls: Call[] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join("");
    calls.push({ headers: request.headers, body });
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    if (!answer) return request.socket.destroy();
    response.writeHead(answer[0], { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify(answer[1]));
  });
  const client = new DynamoDBClient({
    endpoint: await listen(server),
    region: "eu-west-1",
    credentials: { accessKeyId: "AKID", secretAccessKey: "secret", sessionToken: "token" },
    maxAttempts: 3,
    retryMode: "standard",
  });
  writePlainJson(client.config.protocol);
  shortenCalls(client);
  Object.assign(client.config, { cacheMiddleware: true });
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  const get = () => client.send(new GetItemCommand({ TableName: "t", Key: { pk: { S: "a" } } }));
  return { client, calls, get };
}

it("a second call has what the SDK sent with the first, signed", async () => {
  const { calls, get } = await givenClient(found);
  const answers = [await get(), await get()];
  expect(answers[1]).toEqual(answers[0]);
  const [first, second] = calls.map(({ headers, body }) => {
    const { authorization, "x-amz-date": _, ...others } = headers;
    return { ...others, body, authorization: authorization?.replace(/Signature=\w{64}$/, "signed") };
  });
  const { "amz-sdk-invocation-id": _, "amz-sdk-request": attempts, ...usual } = Object(first);
  expect(attempts).toBe("attempt=1; max=3");
  const authorization = usual.authorization.replace("amz-sdk-invocation-id;amz-sdk-request;", "");
  expect(second).toEqual({ ...usual, authorization });
});

it("what a condition says is told after one call, as the SDK tells it", async () => {
  const refused = { ...error("ConditionalCheckFailedException"), Item: { pk: { S: "a" } } };
  const { client, calls } = await givenClient([200, {}], [400, refused]);
  const put = () => client.send(new PutItemCommand({ TableName: "t", Item: { pk: { S: "a" } } }));
  await put();
  await expect(put()).rejects.toMatchObject({
    name: "ConditionalCheckFailedException",
    $metadata: { httpStatusCode: 400, attempts: 1 },
    Item: { pk: { S: "a" } },
  });
  expect(calls).toHaveLength(2);
});

it.each([
  ["an error of the service", [500, error("InternalServerError")]],
  ["a limit of calls", [400, error("ThrottlingException")]],
  ["a clock that is wrong", [403, error("InvalidSignatureException")]],
  ["a connection that ends", undefined],
] as const)("after %s, the SDK attempts the call", async (_, failure) => {
  const { calls, get } = await givenClient(found, failure, found);
  await get();
  expect(await get()).toMatchObject({ Item: { pk: { S: "a" } } });
  expect(calls.map(({ headers }) => headers["amz-sdk-request"])).toEqual([
    "attempt=1; max=3",
    undefined,
    "attempt=1; max=3",
  ]);
});

it("a transaction that may be under way since a lost attempt is told as repeated", async () => {
  const conflict = {
    ...error("TransactionCanceledException"),
    CancellationReasons: [{ Code: "TransactionConflict" }],
  };
  const { client } = await givenClient([200, {}], undefined, [400, conflict]);
  const put = () => client.send(new PutItemCommand({ TableName: "t", Item: { pk: { S: "a" } } }));
  await put();
  await expect(put()).rejects.toMatchObject({
    name: "TransactionCanceledException",
    $metadata: { attempts: 2 },
  });
});

it("a call is attempted four times", async () => {
  const { calls, get } = await givenClient(found, [500, error("InternalServerError")]);
  await get();
  await expect(get()).rejects.toMatchObject({ name: "InternalServerError" });
  expect(calls).toHaveLength(5);
});

it("the trace of the invocation goes along", async () => {
  const { calls, get } = await givenClient(found);
  const before = process.env._X_AMZN_TRACE_ID;
  onTestFinished(() => {
    if (before === undefined) delete process.env._X_AMZN_TRACE_ID;
    else process.env._X_AMZN_TRACE_ID = before;
  });
  for (const id of ["Root=1", "Root=2", "Root=3"]) {
    process.env._X_AMZN_TRACE_ID = id;
    await get();
  }
  expect(calls.map(({ headers }) => headers["x-amzn-trace-id"]).slice(1)).toEqual(["Root=2", "Root=3"]);
});
