import { AsyncLocalStorage } from "node:async_hooks";
import { TransactionCanceledException, TransactionInProgressException } from "@aws-sdk/client-dynamodb";
import {
  TransactGetCommand,
  TransactWriteCommand,
  type TransactWriteCommandInput,
} from "@aws-sdk/lib-dynamodb";
import { environment } from "../environment.ts";
import { randomToken } from "../id.ts";
import { table } from "./client.ts";
import type { Key } from "./keys.ts";
import { fromStored } from "./packed.ts";
import { Conflict, type Delay, retry, Throttled } from "./retry.ts";
import { stamped } from "./stamp.ts";

type TransactItem = NonNullable<TransactWriteCommandInput["TransactItems"]>[number];
type Put = NonNullable<TransactItem["Put"]>;
type Update = NonNullable<TransactItem["Update"]>;
type Delete = NonNullable<TransactItem["Delete"]>;
type Check = NonNullable<TransactItem["ConditionCheck"]>;

/** One write of a transaction. Its name says which condition failed. */
export type WriteAction = {
  readonly name: string;
  /** Inseparable writes, such as the list change of a record. */
  readonly alongside?: readonly WriteAction[];
  /** After so many conflicts on it, the caller may write another item instead. */
  readonly givenBackAfter?: number;
  /** The transaction's puts of riders into one partition are one item: the first host's, if any. */
  readonly joins?: "host" | "rider";
} & (
  | { readonly Put: Put }
  | { readonly Update: Update }
  | { readonly Delete: Delete }
  | { readonly ConditionCheck: Check }
);

/** The item that failed the condition; undefined if there was none. */
export type StoredItem = Record<string, unknown> | undefined;

/** In place of the item that failed a condition: another write of it is under way. */
export const beingWritten: StoredItem = Object.freeze({});

/** By the names of their actions, each with the item that failed the condition. */
export type FailedConditions = ReadonlyMap<string, StoredItem>;

export type TransactionOutcome =
  | { readonly committed: true }
  | { readonly committed: false; readonly failedConditions: FailedConditions };

const conflictReasons = new Set(["TransactionConflict"]);
const throttlingReasons = new Set(["ThrottlingError", "ProvisionedThroughputExceeded"]);
const retriedReasons = new Set([...conflictReasons, ...throttlingReasons]);

/**
 * All or nothing. Retries after conflicts and throttling only, under the same client token.
 * @throws ContendedError when the time for retries is up
 * @throws DoneBeforeError where the work is to be done once, and was
 */
export async function transact(given: readonly WriteAction[]): Promise<TransactionOutcome> {
  const send = (actions: readonly WriteAction[]) => transactUnless(actions, () => false);
  return takingOnce(
    given,
    send as (actions: readonly WriteAction[]) => Promise<TransactionOutcome>,
    (outcome) => (outcome.committed ? undefined : outcome.failedConditions),
  );
}

/**
 * Sends along the write that must succeed with the first transaction of the work, if any. `failed`:
 * undefined for what was committed.
 * @throws DoneBeforeError where the work is to be done once, and was
 */
export async function takingOnce<Outcome>(
  given: readonly WriteAction[],
  send: (actions: readonly WriteAction[]) => Promise<Outcome>,
  failed: (outcome: Outcome) => FailedConditions | undefined,
): Promise<Outcome> {
  const once = pendingOnce();
  if (!once) return send(given);
  // Transactions within it, as of other parts of a split account, are not the first.
  const outcome = await current.run({ ...once, isWritten: true }, () => send([...given, once.write]));
  settleOnce(once, failed(outcome));
  return outcome;
}

/**
 * As `transact`, but returns a conflict on one of the actions that are given back, after so many
 * conflicts: the caller may write another item instead. Nothing was written then.
 */
export function transactUnless(
  given: readonly WriteAction[],
  isGivenBack: (name: string, conflicts: number) => boolean,
  delay?: Delay,
): Promise<TransactionOutcome | { readonly contended: readonly string[] }> {
  const actions = joinRiders(given.flatMap((action) => [action, ...(action.alongside ?? [])]));
  const command = new TransactWriteCommand({
    ClientRequestToken: randomToken(24),
    TransactItems: environment.hasReplica
      ? stamped(actions.map(toTransactItem))
      : actions.map(toTransactItem),
  });
  let mayHaveCommitted = false;
  let conflicts = 0;
  return retry(async () => {
    try {
      await table.send(command);
      return { committed: true };
    } catch (error) {
      const contended = contendedActions(error, actions);
      // After a lost answer, an earlier attempt may have committed: its token decides.
      mayHaveCommitted ||= !(error instanceof TransactionCanceledException) || isRepeated(error);
      // Another item does not help against throttling.
      const conflicting = actionsWith(conflictReasons, error, actions);
      conflicts += 1;
      if (contended && !mayHaveCommitted && conflicting.some((name) => isGivenBack(name, conflicts)))
        return { contended: conflicting };
      const isThrottled = actionsWith(throttlingReasons, error, actions).length > 0;
      if (contended) return new (isThrottled ? Throttled : Conflict)(...contended);
      return { committed: false, failedConditions: failedConditions(error, actions) };
    }
  }, delay);
}

/** An item costs by its size, and two of them cost twice. */
function joinRiders(actions: readonly WriteAction[]): readonly WriteAction[] {
  const joining = actions.filter((action) => "Put" in action && action.joins !== undefined);
  if (joining.length < 2) return actions;
  const hosts = new Map<unknown, WriteAction>();
  for (const action of joining) {
    const host = hosts.get(partitionOf(action));
    if (!host || (host.joins === "rider" && action.joins === "host")) hosts.set(partitionOf(action), action);
  }
  return actions.flatMap((action) => {
    if (action.joins === undefined) return action;
    if (hosts.get(partitionOf(action)) !== action) return action.joins === "rider" ? [] : action;
    const riders = joining.filter(
      (one) => one !== action && one.joins === "rider" && partitionOf(one) === partitionOf(action),
    );
    return riders.reduce(withEntriesOf, action);
  });
}

function partitionOf(action: WriteAction): unknown {
  return "Put" in action ? action.Put.Item?.pk : undefined;
}

function withEntriesOf(host: WriteAction, rider: WriteAction): WriteAction {
  if (!("Put" in host && "Put" in rider)) return host;
  const entries = [host, rider].flatMap(({ Put }) => Put.Item?.entries as readonly string[]);
  return { ...host, Put: { ...host.Put, Item: { ...host.Put.Item, entries } } };
}

function isRepeated({ $metadata: { attempts = 1 } }: TransactionCanceledException): boolean {
  return attempts > 1;
}

/** The contended actions if a retry may help; undefined if a condition failed. */
function contendedActions(error: unknown, actions: readonly Pick<WriteAction, "name">[]) {
  if (error instanceof TransactionInProgressException) return actions.map((action) => action.name);
  if (!(error instanceof TransactionCanceledException)) throw error;
  const reasons = error.CancellationReasons ?? [];
  const given = reasons.filter((reason) => reason.Code !== undefined && reason.Code !== "None");
  if (given.length > 0 && given.every((reason) => retriedReasons.has(reason.Code ?? ""))) {
    return actionsWith(retriedReasons, error, actions);
  }
  if (given.some((reason) => reason.Code === "ConditionalCheckFailed")) return undefined;
  throw error;
}

function actionsWith(
  codes: ReadonlySet<string>,
  error: unknown,
  actions: readonly Pick<WriteAction, "name">[],
): string[] {
  const reasons = (error as TransactionCanceledException).CancellationReasons ?? [];
  return actions.filter((_, index) => codes.has(reasons[index]?.Code ?? "")).map(({ name }) => name);
}

/** Items as they were at one moment; undefined if a write holds one of them. */
export function readTogether(keys: readonly Key[]): Promise<StoredItem[] | undefined> {
  const TransactItems = keys.map((Key) => ({ Get: { TableName: environment.issuingTable, Key } }));
  const reads = keys.map(() => ({ name: "read" }));
  return retry(async () => {
    try {
      const { Responses = [] } = await table.send(new TransactGetCommand({ TransactItems }));
      return Responses.map(({ Item }) => Item);
    } catch (error) {
      if (!contendedActions(error, reads)) throw error;
      return actionsWith(conflictReasons, error, reads).length > 0 ? undefined : new Conflict("read");
    }
  });
}

function failedConditions(error: unknown, actions: readonly WriteAction[]): FailedConditions {
  const failed = new Map<string, StoredItem>();
  const reasons = (error as TransactionCanceledException).CancellationReasons ?? [];
  for (const [index, reason] of reasons.entries()) {
    const action = actions[index];
    if (action && reason.Code === "ConditionalCheckFailed") {
      failed.set(action.name, reason.Item ? fromStored(reason.Item) : undefined);
    }
  }
  return failed;
}

function toTransactItem(given: WriteAction): TransactItem {
  const { name: _, alongside: __, givenBackAfter: ___, joins: ____, ...action } = given;
  const [named, input] = Object.entries(action)[0] as [string, Put | Update | Delete | Check];
  // An update that changes nothing is refused: its condition counts.
  const kind = named === "Update" && !(input as Update).UpdateExpression ? "ConditionCheck" : named;
  return { [kind]: { ...input, ReturnValuesOnConditionCheckFailure: "ALL_OLD" } };
}

/** A write that must succeed with the first transaction of the work. */
interface Once {
  readonly write: WriteAction;
  isWritten: boolean;
}

const current = new AsyncLocalStorage<Once>();

/** The write's condition failed: the work was done before. */
export class DoneBeforeError extends Error {
  override readonly name = "DoneBeforeError";
  readonly stored: StoredItem;

  constructor(stored: StoredItem) {
    super("The work was done before.");
    this.stored = stored;
  }
}

/** The first transaction that the work commits commits the write too, or neither does. */
export function withOnce<T>(once: Once, work: () => Promise<T>): Promise<T> {
  return current.run(once, work);
}

/** The write that the next transaction takes along, if any. */
function pendingOnce(): Once | undefined {
  const once = current.getStore();
  return once?.isWritten ? undefined : once;
}

/** @throws DoneBeforeError */
function settleOnce(once: Once, failed: FailedConditions | undefined): void {
  if (!failed) once.isWritten = true;
  else if (failed.has(once.write.name)) throw new DoneBeforeError(failed.get(once.write.name));
}
