import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DescribeTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
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

  it.each([
    ["a key", { ...withIndex, KeySchema: base.KeySchema.slice(0, 1) }],
    [
      "an index more",
      { ...withIndex, GlobalSecondaryIndexes: [index("by-due", "due"), index("by-key", "sk")] },
    ],
    ["no index", base],
    ["a stream", { ...withIndex, StreamSpecification: { StreamViewType: "KEYS_ONLY" } }],
    ["an index of another key", { ...withIndex, GlobalSecondaryIndexes: [index("by-due", "sk")] }],
    [
      "an index of other attributes",
      { ...withIndex, GlobalSecondaryIndexes: [index("by-due", "due", { ProjectionType: "KEYS_ONLY" })] },
    ],
  ])("refuses %s that the table does not have, and changes nothing", async (_, properties) => {
    await provision(withIndex);
    const before = await describeTable();
    await expect(provision(properties)).rejects.toThrow("Table ledger has the key, stream and indexes");
    expect(await describeTable()).toEqual(before);
  });
});
