import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { toAccessKey } from "../access/access-control.ts";
import { startGuard } from "../access/guarded-connection.ts";
import { allow, control, decrypt, dynamo, region, tableArn } from "./given-role.ts";

describe("the guard", () => {
  const givenGuard = async () => {
    const received: string[] = [];
    const upstream = createServer(async (request, response) => {
      received.push(`${request.headers.authorization} ${await text(request)}`);
      response.writeHead(200, { "content-type": "application/x-amz-json-1.0" });
      response.end(JSON.stringify({ Item: { pk: { S: "found" } } }));
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const { access } = control(allow("dynamodb:GetItem", tableArn), decrypt);
    const guard = await startGuard(
      `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`,
      (id, call) => access.check(id, call),
    );
    onTestFinished(async () => {
      await guard.stop();
      upstream.closeAllConnections();
      await new Promise((resolve) => upstream.close(resolve));
    });
    return { endpoint: guard.url, received };
  };
  const getItem = (TableName: string, ...more: string[]) => {
    const body = JSON.stringify({ TableName });
    const credential = `AWS4-HMAC-SHA256 Credential=${toAccessKey("cards")}/20260101/r/dynamodb/aws4_request`;
    const lines = [`X-Amz-Target: ${dynamo("GetItem")}`, `Authorization: ${credential}`, ...more];
    return `POST / HTTP/1.1\r\nHost: x\r\n${lines.join("\r\n")}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const connectTo = async (endpoint: string) => {
    const socket = connect(Number(new URL(endpoint).port), "127.0.0.1").setNoDelay();
    onTestFinished(() => void socket.destroy());
    await once(socket, "connect");
    return socket;
  };

  it("forwards allowed calls and answers denied ones with an error that the SDK reads", async () => {
    const { endpoint } = await givenGuard();
    const credentials = { accessKeyId: toAccessKey("cards"), secretAccessKey: "local" };
    const client = new DynamoDBClient({ endpoint, region, credentials });
    onTestFinished(() => client.destroy());
    const get = (TableName: string) =>
      client.send(new GetItemCommand({ TableName, Key: { pk: { S: "1" } } }));
    expect((await get("issuing")).Item).toEqual({ pk: { S: "found" } });
    await expect(get("accounts")).rejects.toMatchObject({ name: "AccessDeniedException" });
    expect((await get("issuing")).Item).toEqual({ pk: { S: "found" } });
  });

  it("checks each call of a connection when it is complete, and forwards it without its key", async () => {
    const { endpoint, received } = await givenGuard();
    const socket = await connectTo(endpoint);
    const call = getItem("issuing");
    for (const piece of [call.slice(0, 40), call.slice(40, -5), call.slice(-5)]) {
      expect(received).toEqual([]);
      socket.write(piece);
      await delay(20);
    }
    expect(String((await once(socket, "data"))[0])).toContain("found");
    for (const table of ["accounts", "issuing"]) {
      socket.write(getItem(table));
      await once(socket, "data");
    }
    const forwarded =
      'AWS4-HMAC-SHA256 Credential=local/20260101/r/dynamodb/aws4_request {"TableName":"issuing"}';
    expect(received).toEqual([forwarded, forwarded]);
  });

  it("closes on a body without a length: a call could hide in it", async () => {
    const { endpoint, received } = await givenGuard();
    vi.spyOn(console, "error").mockReturnValue();
    const socket = await connectTo(endpoint);
    socket.write(getItem("issuing", "Transfer-Encoding: chunked"));
    await once(socket, "close");
    expect(received).toEqual([]);
  });
});
