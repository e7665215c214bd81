import { createServer } from "node:net";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { expect, it, onTestFinished } from "vitest";
import { requestLimits } from "../../../shared/platform/request-limits.ts";
import { listen } from "../../harness/listen.ts";

it("the limits of a request end one that gets no answer, and the next attempt begins", async () => {
  let connections = 0;
  const silent = createServer(() => {
    connections += 1;
  });
  const endpoint = await listen(silent);
  const client = new DynamoDBClient({
    endpoint,
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
