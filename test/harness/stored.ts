import { GetCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { environment } from "../../shared/platform/environment.ts";
import { table } from "../../shared/platform/table/client.ts";
import type { Key } from "../../shared/platform/table/keys.ts";

type Item = Record<string, unknown>;

/** Everything that is stored of a Program, in the order of the keys: what must be the same when nothing was to change. */
export async function storedItems(programId: string): Promise<Item[]> {
  const items: Item[] = [];
  const input = {
    TableName: environment.issuingTable,
    ConsistentRead: true,
    FilterExpression: "begins_with(pk, :program)",
    ExpressionAttributeValues: { ":program": `${programId}#` },
  };
  for await (const { Items } of paginateScan({ client: table }, input)) items.push(...(Items ?? []));
  return items.toSorted((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
}

/** The events that the Program's writes left in the outbox, oldest first: kind and detail. */
export async function storedEvents(programId: string): Promise<{ kind: unknown; detail: unknown }[]> {
  const items = await storedItems(programId);
  return items.filter(({ sk }) => sk === "OUTBOX").map(({ kind, detail }) => ({ kind, detail }));
}

/** One item, as it is stored. */
export async function storedItem(key: Key): Promise<Item | undefined> {
  const { Item } = await table.send(
    new GetCommand({ TableName: environment.issuingTable, Key: { ...key }, ConsistentRead: true }),
  );
  return Item;
}

function keyOf({ pk, sk }: Item): string {
  return `${pk} ${sk}`;
}

/** How many Wallets the whole store has. */
export async function walletCount(): Promise<number> {
  let count = 0;
  const input = {
    TableName: environment.issuingTable,
    FilterExpression: "sk = :wallet",
    ExpressionAttributeValues: { ":wallet": "WALLET" },
  };
  for await (const { Items = [] } of paginateScan({ client: table }, input)) count += Items.length;
  return count;
}
