import { type DynamoDBDocumentClient, paginateScan, type ScanCommandInput } from "@aws-sdk/lib-dynamodb";

export type Item = Readonly<Record<string, unknown>>;

/** A table's items that fit, as they are now. */
export async function* scan(
  client: DynamoDBDocumentClient,
  TableName: string,
  input: Omit<ScanCommandInput, "TableName"> = {},
): AsyncGenerator<Item> {
  const whole = { TableName, ConsistentRead: true, ...input };
  for await (const { Items = [] } of paginateScan({ client }, whole)) yield* Items;
}

/** Only items of the Program, of those that also fit the rest of the filter. */
export function ofProgram(programId: string) {
  return {
    FilterExpression: "begins_with(pk, :program)",
    ExpressionAttributeValues: { ":program": `${programId}#` },
  };
}
