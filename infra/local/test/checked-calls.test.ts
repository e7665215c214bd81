import { text } from "node:stream/consumers";
import { describe, expect, it, onTestFinished } from "vitest";
import { toAccessKey } from "../access/access-control.ts";
import { toChecked } from "../access/checked-calls.ts";
import { readRules } from "../access/read-policies.ts";
import { startLoopbackServer } from "../loopback-server.ts";
import { givenFunction, stopFunctionsAfterEach } from "./given-function.ts";
import { allow, assemblyWith, decrypt, dynamo, keyArn, tableArn } from "./given-role.ts";
import { arnOf } from "./given-template.ts";

stopFunctionsAfterEach();

/** Sends what it is given, as the SDK does. */
const source = `import { Agent, request } from "node:http";
  const agent = new Agent({ keepAlive: true });
  export const handler = ({ url, target, body, length = {} }) => new Promise((done, fail) => {
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = { "X-Amz-Target": target, "Content-Length": bytes.length, ...length,
      Authorization: "AWS4-HMAC-SHA256 Credential=${toAccessKey("cards")}/20260101/r/dynamodb/aws4_request" };
    const call = request(url, { agent, method: "POST", headers }, async (answer) => {
      let read = "";
      for await (const part of answer) read += part;
      done({ status: answer.statusCode, read });
    });
    call.on("error", fail);
    call.write(bytes.subarray(0, 1));
    call.end(bytes.subarray(1));
  });`;

async function givenCalls(...statements: object[]) {
  const received: string[] = [];
  const engine = await startLoopbackServer(async (request, response) => {
    received.push(`${request.headers.authorization?.slice(17, 33)} ${await text(request)}`);
    response.end("found");
  });
  onTestFinished(() => engine.stop());
  const rules = readRules(assemblyWith(...statements));
  const { runtime, traced } = givenFunction(source, { FunctionName: "cards" }, {}, rules);
  const url = toChecked(engine.url);
  const send = async (operation: string, body: object, more: object = {}) =>
    (await runtime.invoke("cards", { url, target: dynamo(operation), body, ...more })).payload;
  const sendTo = async (target: string, body: object) => {
    const { payload } = await runtime.invoke("cards", { url, target, body });
    return Object(payload).status as unknown;
  };
  const denied = () => traced.filter(({ kind }) => kind === "access-denied");
  return { send, sendTo, received, denied };
}

const found = { status: 200, read: "found" };

describe("a function's calls", () => {
  it("of DynamoDB go to the engine without their key", async () => {
    const { send, received } = await givenCalls(allow("dynamodb:GetItem", tableArn), decrypt);
    const read = (pk: string) => ({ TableName: "issuing", Key: { pk: { S: pk } } });
    for (const pk of ["1", "2", "3"]) expect(await send("GetItem", read(pk))).toEqual(found);
    expect(received).toEqual(["1", "2", "3"].map((pk) => `Credential=local ${JSON.stringify(read(pk))}`));
  });

  it("that are not allowed get AWS's answer each time, and the connection goes on", async () => {
    const { send, received, denied } = await givenCalls(allow("dynamodb:GetItem", tableArn), decrypt);
    const kinds = [
      ["GetItem", { TableName: "accounts" }],
      ["PutItem", { TableName: "issuing" }],
      ["Query", { TableName: "issuing", IndexName: "by-due" }],
      ["NoSuchThing", { TableName: "issuing" }],
    ] as const;
    expect(await send("GetItem", { TableName: "issuing" })).toEqual(found);
    for (const [operation, body] of [...kinds, ...kinds]) {
      const answer = (await send(operation, body)) as { status: number; read: string };
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.read).__type).toContain("AccessDeniedException");
    }
    expect(await send("GetItem", { TableName: "issuing" })).toEqual(found);
    expect(received).toHaveLength(2);
    const rights = ["GetItem", "PutItem", "Query", "NoSuchThing"].map((action) => `dynamodb:${action}`);
    expect(denied().map(({ detail }) => detail?.action)).toEqual([...rights, ...rights]);
  });

  it("that name another table or index beside an allowed one are decided by both", async () => {
    const rights = ["PutItem", "BatchGetItem", "Query"].map((action) =>
      allow(`dynamodb:${action}`, tableArn),
    );
    const { send, received } = await givenCalls(...rights, decrypt);
    const puts = (...tables: string[]) => ({
      TransactItems: tables.map((TableName) => ({ Put: { TableName } })),
    });
    const reads = (...tables: string[]) => ({
      RequestItems: Object.fromEntries(tables.map((table) => [table, {}])),
    });
    const statuses: number[] = [];
    for (const [operation, body] of [
      ["TransactWriteItems", puts("issuing")],
      ["TransactWriteItems", puts("issuing", "accounts")],
      [
        "TransactWriteItems",
        { TransactItems: [...puts("issuing").TransactItems, { Delete: { TableName: "issuing" } }] },
      ],
      ["BatchGetItem", reads("issuing")],
      ["BatchGetItem", reads("issuing", "accounts")],
      ["Query", { TableName: "issuing" }],
      ["Query", { TableName: "issuing", IndexName: "by-due" }],
      ["ExecuteStatement", { TableName: "issuing", Statement: 'SELECT * FROM "issuing"' }],
      ["TransactWriteItems", puts("issuing", "issuing")],
    ] as const)
      statuses.push(((await send(operation, body)) as { status: number }).status);
    expect(statuses).toEqual([200, 400, 400, 200, 400, 200, 400, 400, 200]);
    expect(received).toHaveLength(4);
  });

  it("are decided for each partition where a right is for some of them", async () => {
    const only = { "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["*#AUDIT"] } };
    const rights = [allow("dynamodb:PutItem", tableArn, only), allow("dynamodb:GetItem", tableArn), decrypt];
    const { send } = await givenCalls(...rights);
    const put = async (pk: string) =>
      (await send("PutItem", { TableName: "issuing", Item: { pk: { S: pk } } })) as { status: number };
    const statuses: number[] = [];
    for (const pk of ["A#AUDIT", "A#AUDIT", "A", "B#AUDIT", "A"]) statuses.push((await put(pk)).status);
    expect(statuses).toEqual([200, 200, 400, 200, 400]);
  });

  it("and those of queues, buses and keys are decided by what each names, also at the second time", async () => {
    const rights = [
      allow(["sqs:SendMessage", "sqs:DeleteMessage"], arnOf("AWS::SQS::Queue", "work")),
      allow("events:PutEvents", arnOf("AWS::Events::EventBus", "bus")),
      allow("kms:Sign", "*"),
    ];
    const { sendTo, received } = await givenCalls(...rights);
    const queued = (name: string) => ({ QueueUrl: `http://queues/000000000000/${name}`, MessageBody: "x" });
    const onBuses = (...names: (string | undefined)[]) => ({
      Entries: names.map((EventBusName) => ({ EventBusName, Detail: "{}" })),
    });
    const calls = [
      ["AmazonSQS.SendMessage", queued("work"), 200],
      ["AmazonSQS.SendMessage", queued("other"), 400],
      ["AmazonSQS.DeleteMessage", queued("work"), 200],
      ["AWSEvents.PutEvents", onBuses("bus", "bus"), 200],
      ["AWSEvents.PutEvents", onBuses("bus", undefined), 400],
      ["AWSEvents.PutEvents", { Entries: "none" }, undefined],
      ["TrentService.Sign", { KeyId: keyArn }, 200],
      ["TrentService.Verify", { KeyId: keyArn }, 400],
    ] as const;
    for (const _ of [1, 2]) {
      for (const [target, body, status] of calls) expect(await sendTo(target, body)).toBe(status);
    }
    expect(received).toHaveLength(2 * 4);
  });

  it("without a length are not sent: a call could hide in one", async () => {
    const { send, received } = await givenCalls(allow("dynamodb:GetItem", tableArn), decrypt);
    const length = { "Content-Length": undefined, "Transfer-Encoding": "chunked" };
    expect(await send("GetItem", { TableName: "issuing" }, { length })).toMatchObject({
      errorMessage: expect.stringContaining("states no length"),
    });
    expect(received).toEqual([]);
  });
});
