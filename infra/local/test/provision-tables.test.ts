import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DescribeTableCommand, DynamoDBClient, PutItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DynamoEngine, startDynamo } from "../engines/dynamo.ts";
import { provisionTables } from "../provision.ts";
import { client } from "./given-services.ts";
import { givenTemplate } from "./given-template.ts";

const attribute = (AttributeName: string) => ({ AttributeName, AttributeType: "S" });
const index = (IndexName: string, key: string, Projection: object = { ProjectionType: "ALL" }) => ({
  IndexName,
  KeySchema: [{ AttributeName: key, KeyType: "HASH" }],
  Projection,
});
const base = {
  KeySchema: [
    { AttributeName: "pk", KeyType: "HASH" },
    { AttributeName: "sk", KeyType: "RANGE" },
  ],
  AttributeDefinitions: [attribute("pk"), attribute("sk")],
};
const withIndex = {
  ...base,
  AttributeDefinitions: [...base.AttributeDefinitions, attribute("due")],
  GlobalSecondaryIndexes: [index("by-due", "due")],
};

let directory: string;
let engine: DynamoEngine;
let tables: DynamoDBClient;
const provision = (properties: object) =>
  provisionTables(givenTemplate(["AWS::DynamoDB::GlobalTable", "ledger", properties]), engine.endpoint);
const describeTable = async () =>
  (await tables.send(new DescribeTableCommand({ TableName: "ledger" }))).Table ?? {};
async function query(IndexName: string, key: string, value: string) {
  const { Items } = await tables.send(
    new QueryCommand({
      TableName: "ledger",
      IndexName,
      KeyConditionExpression: "#key = :value",
      ExpressionAttributeNames: { "#key": key },
      ExpressionAttributeValues: { ":value": { S: value } },
    }),
  );
  return Items;
}

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), "tables-"));
  engine = await startDynamo({ directory, choice: "dynoxide" });
  tables = new DynamoDBClient({ ...client, endpoint: engine.endpoint });
});
afterEach(async () => {
  tables.destroy();
  await engine.stop();
  rmSync(directory, { recursive: true });
});

describe("provisioning tables", () => {
  it("makes a table with its indexes and stream", async () => {
    await provision({ ...withIndex, StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" } });
    expect(await describeTable()).toMatchObject({
      KeySchema: base.KeySchema,
      GlobalSecondaryIndexes: [{ IndexName: "by-due", Projection: { ProjectionType: "ALL" } }],
      StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
    });
  });

  it("leaves an unchanged table alone", async () => {
    await provision(withIndex);
    const before = await describeTable();
    await provision(withIndex);
    expect(await describeTable()).toEqual(before);
  });

  it("adds an index and a stream to a table that holds items, and finds the items by it", async () => {
    await provision(base);
    const Item = { pk: { S: "a" }, sk: { S: "b" }, due: { S: "2026" } };
    await tables.send(new PutItemCommand({ TableName: "ledger", Item }));
    await provision({ ...withIndex, StreamSpecification: { StreamViewType: "NEW_AND_OLD_IMAGES" } });
    expect(await query("by-due", "due", "2026")).toEqual([Item]);
    expect((await describeTable()).StreamSpecification?.StreamEnabled).toBe(true);
  });

  it("builds a changed index anew from the items that are there, and deletes one that is gone", async () => {
    const older = {
      ...withIndex,
      AttributeDefinitions: [...base.AttributeDefinitions, attribute("owner")],
      GlobalSecondaryIndexes: [
        index("by-due", "owner"),
        index("by-key", "sk", { ProjectionType: "KEYS_ONLY" }),
        index("by-owner", "owner"),
      ],
    };
    await provision(older);
    const Item = { pk: { S: "a" }, sk: { S: "b" }, due: { S: "2026" }, owner: { S: "c" }, more: { S: "d" } };
    await tables.send(new PutItemCommand({ TableName: "ledger", Item }));
    await provision({
      ...withIndex,
      GlobalSecondaryIndexes: [index("by-due", "due"), index("by-key", "sk")],
    });
    const { GlobalSecondaryIndexes = [] } = await describeTable();
    expect(GlobalSecondaryIndexes.map(({ IndexName }) => IndexName).toSorted()).toEqual(["by-due", "by-key"]);
    expect(await query("by-due", "due", "2026")).toEqual([Item]);
    expect(await query("by-key", "sk", "b")).toEqual([Item]);
  });

  it("refuses a changed key of the table", async () => {
    await provision(withIndex);
    const changed = provision({ ...base, KeySchema: base.KeySchema.slice(0, 1) });
    await expect(changed).rejects.toThrow("Table ledger has the key");
  });
});
