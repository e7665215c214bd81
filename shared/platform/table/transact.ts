import { TransactionCanceledException, TransactionInProgressException } from "@aws-sdk/client-dynamodb";
import { TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { randomToken } from "../id.ts";
import { backOff, maximumAttempts } from "./back-off.ts";
import { table } from "./client.ts";
import { noteConflicts } from "./write-conflicts.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type Put = NonNullable<TransactItem["Put"]>;
type Update = NonNullable<TransactItem["Update"]>;
type Delete = NonNullable<TransactItem["Delete"]>;
type Check = NonNullable<TransactItem["ConditionCheck"]>;

/** One write of a transaction, with a name by which its refusal is told from the others'. */
export type WriteAction = {
  readonly name: string;
  /** Writes that belong to it and are never without it, such as the change of a list that its record stands in. */
  readonly alongside?: readonly WriteAction[];
} & (
  | { readonly Put: Put }
  | { readonly Update: Update }
  | { readonly Delete: Delete }
  | { readonly ConditionCheck: Check }
);

/** The item that stood there when the condition failed; undefined when there was none. */
export type StoredItem = Record<string, unknown> | undefined;

/**
 * What became of a transaction: committed whole, or nothing at all, with the actions whose conditions failed by name and the item
 * that each of them found.
 */
export type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly refusals: ReadonlyMap<string, StoredItem> };

/** Other writers kept getting in the way until patience ran out. Nothing was written. */
export class TransactionContendedError extends Error {
  override readonly name = "TransactionContendedError";
  /** Names of the actions whose items were contended. */
  readonly actions: readonly string[];

  constructor(actions: readonly string[]) {
    super(`The transaction was contended on ${actions.join(", ")}.`);
    this.actions = actions;
  }
}

const retriedReasons = new Set(["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"]);

/**
 * Writes all the actions or none. Retries with full jitter, under the same client token, only where nothing but conflicts or
 * throttling refused the transaction; a failed condition is an answer, not an error.
 *
 * @throws TransactionContendedError after 16 attempts.
 */
export async function transact(given: readonly WriteAction[]): Promise<TransactionOutcome> {
  const actions = given.flatMap((action) => [action, ...(action.alongside ?? [])]);
  const command = new TransactWriteCommand({
    ClientRequestToken: randomToken(24),
    TransactItems: actions.map(toTransactItem),
  });
  let contended: readonly string[] = [];
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await transactOnce(command, actions);
    if ("committed" in outcome) {
      noteConflicts({ actions: contended, conflicts: attempt - 1 });
      return outcome;
    }
    ({ contended } = outcome);
    if (attempt === maximumAttempts) {
      noteConflicts({ actions: contended, conflicts: attempt, givenUp: true });
      throw new TransactionContendedError(contended);
    }
    await backOff(attempt);
  }
}

/** What became of one attempt, or the names of the actions whose items others have in hand. */
async function transactOnce(
  command: TransactWriteCommand,
  actions: readonly WriteAction[],
): Promise<TransactionOutcome | { readonly contended: readonly string[] }> {
  try {
    await table.send(command);
    return { committed: true };
  } catch (error) {
    const contended = contendedActions(error, actions);
    return contended ? { contended } : { committed: false, refusals: refusalsOf(error, actions) };
  }
}

/** Names of the contended actions when a retry may help; undefined when a condition failed; else rethrows. */
function contendedActions(error: unknown, actions: readonly WriteAction[]): string[] | undefined {
  if (error instanceof TransactionInProgressException) return actions.map((action) => action.name);
  if (!(error instanceof TransactionCanceledException)) throw error;
  const reasons = error.CancellationReasons ?? [];
  const refused = reasons.filter((reason) => reason.Code !== undefined && reason.Code !== "None");
  if (refused.length > 0 && refused.every((reason) => retriedReasons.has(reason.Code ?? ""))) {
    return actions
      .filter((_, index) => retriedReasons.has(reasons[index]?.Code ?? ""))
      .map((action) => action.name);
  }
  if (refused.some((reason) => reason.Code === "ConditionalCheckFailed")) return undefined;
  throw error;
}

function refusalsOf(error: unknown, actions: readonly WriteAction[]): Map<string, StoredItem> {
  const refusals = new Map<string, StoredItem>();
  const reasons = (error as TransactionCanceledException).CancellationReasons ?? [];
  for (const [index, reason] of reasons.entries()) {
    const action = actions[index];
    if (action && reason.Code === "ConditionalCheckFailed") {
      refusals.set(action.name, reason.Item ? unmarshall(reason.Item) : undefined);
    }
  }
  return refusals;
}

function toTransactItem({ name: _name, alongside: _alongside, ...action }: WriteAction): TransactItem {
  const [kind, input] = Object.entries(action)[0] as [string, Put | Update | Delete | Check];
  return { [kind]: { ...input, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } };
}
