import { ConditionalCheckFailedException, TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import type * as z from "zod";
import { now } from "../clock.ts";
import { environment } from "../environment.ts";
import { ApiError, unknownAt } from "../http/api-error.ts";
import { earliestChangeId } from "../id.ts";
import { table } from "./client.ts";
import {
  type Change,
  type Condition,
  isNew,
  toConditionExpression,
  toUpdateExpression,
} from "./condition.ts";
import { declareKey, type Key, type TableName } from "./keys.ts";
import { fromStored, isPlain } from "./packed.ts";
import { readItems, toPartitionQuery } from "./query.ts";
import { Conflict, type Delay, retry } from "./retry.ts";
import type { StoredItem } from "./transact.ts";

type IdParts = readonly unknown[];

/** Stands for an omitted part of an id: the sort key after it is unknown. */
const leftOut = "\u0000";

interface Definition<Item extends object, Id extends IdParts> {
  /** Names the entity's writes in a transaction. */
  readonly name: string;
  /** Without it, `issuing`. */
  readonly table?: TableName;
  /**
   * The shape of what is stored. It fills in and changes nothing, since conditions compare what was
   * read with what is stored; `z.object` only drops attributes that it does not name.
   */
  readonly schema: z.ZodType<Item, Item>;
  readonly key: (...id: Id) => Key;
  /** Each write says when it was made: receivers are told of changes with their time. */
  readonly saysWhenChanged?: boolean;
}

/** When an item was changed last, by the clock of who changed it: ten characters, as of a ULID. */
export const whenChanged = "changed";

/** One kind of stored item. All reads and writes of it go through its entity. */
export function defineEntity<Item extends object, Id extends IdParts>(definition: Definition<Item, Id>) {
  return new Entity(definition);
}

class Entity<Item extends object, Id extends IdParts> {
  readonly key: (...id: Id) => Key;
  readonly #definition: Definition<Item, Id>;

  constructor(definition: Definition<Item, Id>) {
    this.key = declareKey(definition.name, definition.key, definition.table);
    this.#definition = definition;
  }

  /** Addresses an item, whether or not it exists. */
  at(...id: Id): StoredAt<Item> {
    const { name, key, saysWhenChanged = false } = this.#definition;
    const parse = (stored: StoredItem) => this.parse(stored);
    return new StoredAt({ name, tableName: this.#tableName(), key: key(...id), parse, saysWhenChanged });
  }

  /** A stored item, such as one that failed a condition. */
  parse(stored: Readonly<Record<string, unknown>>): Item;
  parse(stored: StoredItem): Item | undefined;
  parse(stored: StoredItem): Item | undefined {
    return stored && this.#definition.schema.parse(stored);
  }

  /** The items whose ids begin with these parts, as `listPage` takes them. */
  records(...begin: Partial<Id>) {
    const { key, table = "issuing" } = this.#definition;
    const id = Array.from({ length: key.length }, (_, index) => begin[index] ?? leftOut);
    const { pk, sk } = key(...(id as unknown as Id));
    return { table, partitions: [{ pk, sk: sk.split(leftOut)[0] ?? sk }] } as const;
  }

  /** Items whose ids begin with these parts, in key order. Consistent reads. */
  list(...begin: Partial<Id>): Promise<Item[]> {
    return Array.fromAsync(this.walk(begin));
  }

  /** The first of them. */
  async first(limit: number, ...begin: Partial<Id>): Promise<Item[]> {
    const found: Item[] = [];
    for await (const item of this.walk(begin, limit)) if (found.push(item) === limit) break;
    return found;
  }

  /** As above, read page by page as they are taken, of so many. */
  async *walk(begin: Partial<Id>, pageSize?: number): AsyncGenerator<Item, void> {
    const [{ pk, sk }] = this.records(...begin).partitions;
    const query = { ...toPartitionQuery(pk, sk, this.#tableName()), ...(pageSize && { Limit: pageSize }) };
    for await (const item of readItems(query)) yield this.parse(item);
  }

  #tableName(): string {
    return environment[`${this.#definition.table ?? "issuing"}Table`];
  }
}

/** Reads one item, consistently. */
export type ReadItem = (key: Key) => Promise<StoredItem>;

interface Target<Item> {
  readonly name: string;
  readonly tableName: string;
  readonly key: Key;
  readonly parse: (stored: StoredItem) => Item | undefined;
  readonly saysWhenChanged: boolean;
}

/** An item by its key. Methods without `Now` return actions for `transact`. */
export class StoredAt<Item extends object> {
  readonly key: Key;
  readonly #target: Target<Item>;

  constructor(target: Target<Item>) {
    this.key = target.key;
    this.#target = target;
  }

  /** The item that failed one of its conditions. */
  parse(stored: StoredItem): Item | undefined {
    return this.#target.parse(stored);
  }

  /** One consistent read, or the caller's, which may share a call with others. */
  async get(read: ReadItem = (key) => this.#read(key)): Promise<Item | undefined> {
    return this.#target.parse(await read(this.key));
  }

  async #read(Key: Key): Promise<StoredItem> {
    const { tableName: TableName } = this.#target;
    return (await table.send(new GetCommand({ TableName, Key, ConsistentRead: true }))).Item;
  }

  /** As stored, for a reader that may not see the other attributes. Empty without an item. */
  async getOnly<Name extends keyof Item & string>(...names: Name[]): Promise<Partial<Pick<Item, Name>>> {
    const { tableName: TableName } = this.#target;
    const ProjectionExpression = names.map((_, index) => `#${index}`).join(", ");
    const ExpressionAttributeNames = Object.fromEntries(names.map((name, index) => [`#${index}`, name]));
    const projected = { ProjectionExpression, ExpressionAttributeNames };
    const read = new GetCommand({ TableName, Key: this.key, ConsistentRead: true, ...projected });
    return ((await table.send(read)).Item ?? {}) as Partial<Pick<Item, Name>>;
  }

  /** @throws ApiError NOT_FOUND, with the place in the request that names it */
  async require(place?: string): Promise<Item> {
    const item = await this.get();
    if (!item) throw new ApiError("NOT_FOUND", place === undefined ? [] : [unknownAt(place)]);
    return item;
  }

  create(item: Item) {
    return this.put(item, isNew);
  }

  /** Replaces the whole item. */
  put(item: Item, condition?: Condition<Item>) {
    const { name, tableName: TableName } = this.#target;
    this.#requirePlain(condition);
    return { name, Put: { TableName, Item: this.#stored(item), ...toConditionExpression(condition) } };
  }

  update(change: Change<Item>, condition?: Condition<Item>) {
    this.#requirePlain(condition);
    const isEmpty = Object.values(change).every((part = {}) => Object.keys(part).length === 0);
    const set = { ...change.set, ...(!isEmpty && this.#whenChanged()) } as Partial<Item>;
    const Update = {
      ...this.#place(),
      ...toUpdateExpression(this.#besidePacked({ ...change, set }), condition),
    };
    return { name: this.#target.name, Update };
  }

  check(condition: Condition<Item>) {
    this.#requirePlain(condition);
    const ConditionCheck = { ...this.#place(), ...toConditionExpression(condition) };
    return { name: this.#target.name, ConditionCheck };
  }

  delete(condition?: Condition<Item>) {
    this.#requirePlain(condition);
    const Delete = { ...this.#place(), ...toConditionExpression(condition) };
    return { name: this.#target.name, Delete };
  }

  /**
   * One write outside a transaction, at half its price. Returns the existing item, if any. After a
   * lost answer the SDK repeats the write, and the item that it wrote itself is returned.
   */
  async createNow(item: Item): Promise<Item | undefined> {
    const { name, Put } = this.create(item);
    const outcome = await writeNow(name, () => table.send(new PutCommand({ ...Put, ...returnFailed })));
    return "stored" in outcome ? this.#target.parse(outcome.stored) : undefined;
  }

  /** One write. Returns the updated item, or the one that failed the condition. */
  async updateNow(
    change: Change<Item>,
    condition?: Condition<Item>,
    delay?: Delay,
  ): Promise<UpdatedNow<Item>> {
    const { name, Update } = this.update(change, condition);
    const { parse } = this.#target;
    const command = new UpdateCommand({ ...Update, ReturnValues: "ALL_NEW", ...returnFailed });
    const outcome = await writeNow(name, () => table.send(command), delay);
    return "stored" in outcome
      ? { updated: false, stored: parse(outcome.stored) }
      : { updated: true, item: parse(outcome.answer.Attributes ?? {}) as Item };
  }

  /** One write, whether or not the item exists. */
  async deleteNow(): Promise<void> {
    const { name, Delete } = this.delete();
    await writeNow(name, () => table.send(new DeleteCommand(Delete)));
  }

  #stored(item: Item): Record<string, unknown> & Key {
    return { ...(item as Record<string, unknown>), ...this.#whenChanged(), ...this.key };
  }

  #whenChanged(): { readonly [whenChanged]?: string } {
    return this.#target.saysWhenChanged ? { [whenChanged]: earliestChangeId(now()) } : {};
  }

  /** What is packed can only be set, or be removed by a null in its place. */
  #besidePacked(change: Change<Item>): Change<Item> {
    const { set, add, discard, increase, copy = {}, remove = [] } = change;
    const computed = [add, discard, increase].flatMap((names) => Object.keys(names ?? {}));
    for (const name of [...computed, ...Object.values(copy)]) this.#require(String(name));
    const packed = remove.filter((name) => !isPlain(this.key, name));
    if (packed.length === 0) return change;
    const nulls = Object.fromEntries(packed.map((name) => [name, null]));
    const plain = remove.filter((name) => !(name in nulls));
    return { ...change, set: { ...set, ...nulls } as Partial<Item>, remove: plain };
  }

  #requirePlain(condition: Condition<Item> | undefined): void {
    if (isPlain(this.key, "")) return;
    const { ExpressionAttributeNames: names = {} } = toConditionExpression(condition);
    for (const name of Object.values(names)) this.#require(name);
  }

  #require(name: string): void {
    if (!isPlain(this.key, name)) throw new Error(`The attribute ${name} of ${this.#target.name} is packed.`);
  }

  #place() {
    return { TableName: this.#target.tableName, Key: this.key };
  }
}

type UpdatedNow<Item> =
  | { readonly updated: true; readonly item: Item }
  | { readonly updated: false; readonly stored: Item | undefined };

const returnFailed = { ReturnValuesOnConditionCheckFailure: "ALL_OLD" } as const;

/**
 * Retries while a transaction holds the item, which the SDK does not. A failed condition is an
 * outcome, not an error.
 * @throws ContendedError when the time for retries is up
 */
function writeNow<Answer>(name: string, send: () => Promise<Answer>, delay?: Delay) {
  return retry<{ readonly answer: Answer } | { readonly stored: StoredItem }>(async () => {
    try {
      return { answer: await send() };
    } catch (error) {
      if (error instanceof TransactionConflictException) return new Conflict(name);
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { stored: error.Item && fromStored(error.Item) };
    }
  }, delay);
}
