import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, PutCommand, UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";
import { Conflict, retry } from "./retry.ts";
import type { StoredItem } from "./transact.ts";

/** The updated item, or the one that failed the condition. */
export type UpdateOutcome =
  | { readonly updated: true; readonly item: Record<string, unknown> }
  | { readonly updated: false; readonly stored: StoredItem };

/**
 * One round trip. Retries while a transaction holds the item, which the SDK does not. A failed condition is
 * an outcome, not an error.
 * @throws ContendedError when the time for retries is up
 */
export async function updateItem(name: string, input: UpdateCommandInput): Promise<UpdateOutcome> {
  const command = new UpdateCommand({
    ...input,
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  const outcome = await write(name, () => table.send(command));
  return "stored" in outcome
    ? { updated: false, stored: outcome.stored }
    : { updated: true, item: outcome.answer.Attributes ?? {} };
}

/**
 * Writes an item unless its key is taken, for half the price of a transaction. If an answer is lost, the SDK writes
 * again, finds its own item, and that is returned.
 * @returns the item that was there already, if any
 * @throws ContendedError when the time for retries is up
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
  return "stored" in outcome ? outcome.stored : undefined;
}

export async function deleteItem(name: string, input: { TableName: string; Key: Key }): Promise<void> {
  await write(name, () => table.send(new DeleteCommand(input)));
}

/** Returns the answer, or the item that failed the condition. */
function write<Answer>(name: string, send: () => Promise<Answer>) {
  return retry<{ readonly answer: Answer } | { readonly stored: StoredItem }>(async () => {
    try {
      return { answer: await send() };
    } catch (error) {
      if (error instanceof TransactionConflictException) return new Conflict(name);
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { stored: error.Item && unmarshall(error.Item) };
    }
  });
}
