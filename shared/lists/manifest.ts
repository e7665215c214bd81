import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { environment } from "../platform/environment.ts";
import { table } from "../platform/table/client.ts";
import { listKey } from "../platform/table/list-keys.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { pack, unpack } from "./block.ts";
import type { ListOf } from "./listed-kind.ts";
import type { Run } from "./run.ts";

/** What a list consists of at one moment: all that its runs hold, and every change that is not earlier than `since`. */
export interface Manifest {
  /** Counts the commits; each requires that it is the next. 0 before the first. */
  readonly version: number;
  readonly since: string;
  readonly runs: readonly Run[];
  /** Runs that are being written or were replaced, to be deleted at that time, in milliseconds. */
  readonly discarded: readonly Discarded[];
  /** While the list is rebuilt, or until this time, in milliseconds, nothing is taken in and nothing merged. */
  readonly heldUntil?: number;
  /** How often it was held: who read changes before it was, takes none of them in afterwards. */
  readonly holds?: number;
}

export interface Discarded {
  readonly runId: string;
  readonly blocks: number;
  readonly dueAt: number;
  /** Its blocks may be gone already: it can never be committed. */
  readonly deleting?: boolean;
}

const none: Manifest = { version: 0, since: "", runs: [], discarded: [] };

export async function readManifest(list: ListOf): Promise<Manifest> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: listKey.manifest(list),
      ConsistentRead: true,
    }),
  );
  return Item ? { ...unpack<Manifest>(Item.body as Uint8Array), version: Item.version as number } : none;
}

/**
 * Makes the manifest into what `change` says of the one that stands there, with whatever else is to be written in the same transaction. `change` is
 * asked again where somebody else has committed meanwhile, and answers undefined where what it wanted is not to be done any more.
 */
export async function changeManifest(
  list: ListOf,
  change: (manifest: Manifest) => Omit<Manifest, "version"> | undefined,
  alongside: readonly WriteAction[] = [],
): Promise<Manifest | undefined> {
  for (;;) {
    const manifest = await readManifest(list);
    const changed = change(manifest);
    if (!changed) return undefined;
    const next = { ...changed, version: manifest.version + 1 };
    if ((await transact([manifestPut(list, next), ...alongside])).committed) return next;
  }
}

function manifestPut(list: ListOf, manifest: Manifest): WriteAction {
  const { version, ...body } = manifest;
  return {
    name: "manifest",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...listKey.manifest(list), version, body: pack(body) },
      ...(version === 1
        ? { ConditionExpression: "attribute_not_exists(pk)" }
        : {
            ConditionExpression: "version = :before",
            ExpressionAttributeValues: { ":before": version - 1 },
          }),
    },
  };
}
