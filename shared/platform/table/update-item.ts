import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand, type UpdateCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { backOff, maximumAttempts } from "./back-off.ts";
import { table } from "./client.ts";
import { type StoredItem, TransactionContendedError } from "./transact.ts";
import { noteConflicts } from "./write-conflicts.ts";

/** The item as it became, or the one that the condition met. */
export type UpdateOutcome =
  | { readonly updated: true; readonly item: Record<string, unknown> }
  | { readonly updated: false; readonly stored: StoredItem };

/**
 * One conditional update outside a transaction, in one round trip. Waits with jitter for a transaction that has the item in hand,
 * which the SDK does not; a failed condition is an answer, not an error.
 *
 * @throws TransactionContendedError after 16 attempts.
 */
export async function updateItem(name: string, input: UpdateCommandInput): Promise<UpdateOutcome> {
  const command = new UpdateCommand({
    ...input,
    ReturnValues: "ALL_NEW",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  const outcome = await write(name, () => table.send(command));
  return "refusal" in outcome
    ? { updated: false, stored: outcome.refusal }
    : { updated: true, item: outcome.answer.Attributes ?? {} };
}

/**
 * A write of one item with a condition: its answer, or the item that the condition met.
 *
 * @throws TransactionContendedError after 16 attempts.
 */
export async function write<Answer>(
  name: string,
  send: () => Promise<Answer>,
): Promise<{ readonly answer: Answer } | { readonly refusal: StoredItem }> {
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await writeOnce(send);
    const givenUp = outcome === undefined && attempt === maximumAttempts;
    if (outcome || givenUp) {
      noteConflicts({ actions: [name], conflicts: outcome ? attempt - 1 : attempt, givenUp });
    }
    if (outcome) return outcome;
    if (givenUp) throw new TransactionContendedError([name]);
    await backOff(attempt);
  }
}

/** Undefined where a transaction has the item in hand. */
async function writeOnce<Answer>(
  send: () => Promise<Answer>,
): Promise<{ readonly answer: Answer } | { readonly refusal: StoredItem } | undefined> {
  try {
    return { answer: await send() };
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException)
      return { refusal: error.Item && unmarshall(error.Item) };
    if (error instanceof TransactionConflictException) return undefined;
    throw error;
  }
}
