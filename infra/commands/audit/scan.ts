import { type DynamoDBDocumentClient, ScanCommand, type ScanCommandInput } from "@aws-sdk/lib-dynamodb";

export type Item = Readonly<Record<string, unknown>>;

/** A table's items that fit, as they are now. */
export async function* scan(
  client: Pick<DynamoDBDocumentClient, "send">,
  TableName: string,
  input: Omit<ScanCommandInput, "TableName"> = {},
): AsyncGenerator<Item> {
  let ExclusiveStartKey: ScanCommandInput["ExclusiveStartKey"];
  do {
    const whole = { TableName, ConsistentRead: true, ...input, ExclusiveStartKey };
    const { Items = [], LastEvaluatedKey } = await client.send(new ScanCommand(whole));
    yield* Items;
    ExclusiveStartKey = LastEvaluatedKey;
  } while (ExclusiveStartKey);
}

/** Only items of the Program, of those that also fit the rest of the filter. */
export function ofProgram(programId: string) {
  return {
    FilterExpression: "begins_with(pk, :program)",
    ExpressionAttributeValues: { ":program": `${programId}#` },
  };
}
