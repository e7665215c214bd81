import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { BatchGetCommand, DynamoDBDocumentClient, GetCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { environment } from "../../../../shared/platform/environment.ts";
import { newId } from "../../../../shared/platform/id.ts";
import { table } from "../../../../shared/platform/table/client.ts";

/** The SDK's own way. */
const bare = DynamoDBDocumentClient.from(new DynamoDBClient());

/** All kinds of attributes, with bytes at each depth. */
const givenItem = () => {
  const bytes = Uint8Array.from([0, 200, 255]);
  return {
    ...{
      pk: newId("program"),
      sk: "IT",
      text: 'a "ü" \u0001 😀',
      whole: 12,
      part: 0.5,
      yes: true,
      none: null,
    },
    ...{ bytes, inList: [bytes, "b", [bytes]], inMap: { deep: { bytes } }, empty: new Uint8Array(0) },
    ...{ texts: new Set(["a", "b"]), numbers: new Set([1, 2]), manyBytes: new Set([bytes]) },
  };
};

describe.each([
  ["made anew", false],
  ["kept, as in a function", true],
])("a call of the table, with middlewares that are %s,", (_, isKept) => {
  beforeEach(() => void Object.assign(table.config, { cacheMiddleware: isKept }));
  afterEach(() => void Object.assign(table.config, { cacheMiddleware: false }));

  it("writes and reads what the SDK's own code does", async () => {
    onTestFinished(() => bare.destroy());
    const TableName = environment.issuingTable;
    for (const [writer, reader] of [
      [table, bare],
      [bare, table],
      [table, table],
    ] as const) {
      const item = givenItem();
      const Key = { pk: item.pk, sk: item.sk };
      const left = writer === table && { left: undefined };
      await writer.send(new PutCommand({ TableName, Item: { ...item, ...left } }));
      expect((await reader.send(new GetCommand({ TableName, Key }))).Item).toEqual(item);
      const batch = { RequestItems: { [TableName]: { Keys: [Key] } } };
      expect((await reader.send(new BatchGetCommand(batch))).Responses).toEqual({ [TableName]: [item] });
    }
  });

  it("gets its own answer, however many are under way", async () => {
    const TableName = environment.issuingTable;
    const items = Array.from({ length: 20 }, (_, index) => ({ pk: newId("program"), sk: "IT", index }));
    await Promise.all(items.map((Item) => table.send(new PutCommand({ TableName, Item }))));
    const asked = [...items, ...items.toReversed(), ...items];
    const found = await Promise.all(
      asked.map(({ pk, sk }) => table.send(new GetCommand({ TableName, Key: { pk, sk } }))),
    );
    expect(found.map(({ Item }) => Item)).toEqual(asked);
  });

  it("is told the SDK's errors, with the item that failed a condition", async () => {
    const TableName = environment.issuingTable;
    const Item = givenItem();
    await table.send(new PutCommand({ TableName, Item }));
    const again = new PutCommand({
      ...{ TableName, Item, ConditionExpression: "attribute_not_exists(pk)" },
      ReturnValuesOnConditionCheckFailure: "ALL_OLD",
    });
    await expect(table.send(again)).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
      $metadata: { httpStatusCode: 400, attempts: 1 },
      Item: { text: { S: Item.text }, bytes: { B: Item.bytes } },
    });
    const read = await table.send(new GetCommand({ TableName, Key: { pk: newId("program"), sk: "IT" } }));
    expect(read).toEqual({ $metadata: expect.objectContaining({ httpStatusCode: 200, attempts: 1 }) });
  });
});
