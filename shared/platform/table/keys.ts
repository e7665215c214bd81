/** Sorts after every id and every time. */
export const afterAll = "~";

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type TableName = "issuing" | "accounts" | "vault";

interface DeclaredKey {
  /** The kind of item that it is of. */
  readonly name: string;
  readonly table: TableName;
  readonly key: (...id: never) => Key;
}

/** Those of the files that were imported so far: docs/keys.md is made of them. */
export const declaredKeys: DeclaredKey[] = [];

/**
 * The key of a kind of item. An entity declares its own. Nearly all begin with their Program or
 * Tenant, so that another Program's items cannot be named.
 */
export function declareKey<Id extends readonly unknown[]>(
  name: string,
  key: (...id: Id) => Key,
  table: TableName = "issuing",
): (...id: Id) => Key {
  declaredKeys.push({ name, table, key });
  return key;
}

/** One of `count` shards for an id: ids end in random characters, which spread evenly. */
export function chooseShard(id: string, count: number): number {
  let sum = 0;
  for (const character of id.slice(-8)) sum = (sum * 31 + character.charCodeAt(0)) % 65_521;
  return sum % count;
}
