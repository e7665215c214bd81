export interface Touched {
  readonly action: string;
  readonly table: unknown;
  readonly index?: string;
  /** The partition key of an item to put, update or delete. */
  readonly partition?: string | undefined;
}

const transactActions: Readonly<Record<string, string>> = {
  Put: "PutItem",
  Update: "UpdateItem",
  Delete: "DeleteItem",
  ConditionCheck: "ConditionCheckItem",
  Get: "GetItem",
};

interface WriteInput {
  readonly TableName: unknown;
  readonly Item?: StoredKey;
  readonly Key?: StoredKey;
}

interface StoredKey {
  readonly pk?: { readonly S?: string };
}

export function touched(operation: string, body: Readonly<Record<string, unknown>>): Touched[] {
  if (operation === "TransactWriteItems" || operation === "TransactGetItems") {
    const items = (body.TransactItems ?? []) as Record<string, WriteInput>[];
    return items.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName, Item, Key }]) => ({
        action: transactActions[kind] ?? operation,
        table: TableName,
        partition: (Item ?? Key)?.pk?.S,
      })),
    );
  }
  if (operation === "BatchGetItem" || operation === "BatchWriteItem") {
    return Object.keys((body.RequestItems ?? {}) as object).map((table) => ({ action: operation, table }));
  }
  const index = typeof body.IndexName === "string" ? { index: body.IndexName } : {};
  const { TableName, Item, Key } = body as Partial<WriteInput>;
  return [{ action: operation, table: TableName, ...index, partition: (Item ?? Key)?.pk?.S }];
}
