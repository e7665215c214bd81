import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { expect, it, onTestFinished } from "vitest";
import { requestLimits } from "../../../shared/platform/request-limits.ts";

it("the limits of a request end one that gets no answer, and the next attempt begins", async () => {
  let connections = 0;
  const silent = createServer(() => {
    connections += 1;
  }).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const { port } = silent.address() as AddressInfo;
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: "eu-west-1",
    credentials: { accessKeyId: "local", secretAccessKey: "local" },
    maxAttempts: 2,
    requestHandler: requestLimits(300),
  });
  onTestFinished(() => {
    client.destroy();
    silent.close();
  });
  await expect(client.send(new ListTablesCommand({}))).rejects.toThrow(/exceeded the configured 300 ms/);
  expect(connections).toBe(2);
});
