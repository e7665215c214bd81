import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { table } from "./client.ts";
import type { StoredItem } from "./transact.ts";
import { write } from "./update-item.ts";

/**
 * Writes an item where none stands by its key yet, for half of what a transaction of one item costs. Answers the item that stands there already, or
 * undefined once this one does. Where an answer is lost on the way the SDK writes again and meets what it wrote itself, which is answered then.
 *
 * @throws TransactionContendedError after 16 attempts.
 */
export async function putNew(
  name: string,
  TableName: string,
  Item: Record<string, unknown>,
): Promise<StoredItem> {
  const command = new PutCommand({
    TableName,
    Item,
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  const outcome = await write(name, () => table.send(command));
  return "refusal" in outcome ? outcome.refusal : undefined;
}
