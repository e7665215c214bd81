import {
  type Attribute,
  type Attributes,
  areEqualItems,
  compareTexts,
  plainNumber,
  shown,
  sizeOfItem,
} from "./attributes.ts";
import { EngineError, invalid } from "./engine-error.ts";
import {
  type Parsed,
  type Placeholders,
  parseCondition,
  parseProjection,
  parseUpdate,
} from "./expressions.ts";
import { findPlace, type KeyNames, type Place, Rows } from "./rows.ts";

const mostOfAnItem = 400 * 1_024;
const mostOfATransaction = 4 * 1_024 * 1_024;
const mostOfAPage = 1_024 * 1_024;
/** A transaction's token is remembered for ten minutes. */
const tokenMs = 600_000;
const mostTokens = 1_000;

interface Index {
  readonly names: KeyNames;
  readonly rows: Rows;
}

/** A table in memory. Its items are never changed in place. */
class Table {
  readonly name: string;
  readonly names: KeyNames;
  readonly rows = new Rows();
  readonly indexes: ReadonlyMap<string, Index>;

  constructor({ TableName, KeySchema, GlobalSecondaryIndexes = [] }: CreateTable) {
    this.name = TableName;
    this.names = keyNames(KeySchema);
    this.indexes = new Map(
      GlobalSecondaryIndexes.map(({ IndexName, KeySchema: schema, Projection }) => {
        if (Projection?.ProjectionType !== "ALL") throw invalid("An index has all attributes here.");
        return [IndexName, { names: keyNames(schema), rows: new Rows() }];
      }),
    );
  }

  /** @throws EngineError for a key of other attributes */
  placeOf(key: Attributes): Place {
    const expected = [this.names.hash, this.names.range].filter((name) => name !== undefined);
    const place = findPlace(key, this.names);
    if (!place || Object.keys(key).length !== expected.length)
      throw invalid("The provided key element does not match the schema");
    return place;
  }

  placeOfItem(item: Attributes): Place {
    const place = findPlace(item, this.names);
    if (place) return place;
    const { hash, range = "" } = this.names;
    const missing = item[hash] ? range : hash;
    throw invalid(`One or more parameter values were invalid: Missing the key ${missing} in the item`);
  }

  /** Replaces an item, or deletes it. Returns the units that the indexes take. */
  replace(place: Place, before: Attributes | undefined, after: Attributes | undefined): number {
    if (after) this.rows.put(place, after);
    else this.rows.delete(place);
    let units = 0;
    const tie = `${place.hash} ${place.range}`;
    for (const { names, rows } of this.indexes.values()) {
      const [left, right] = [before && findPlace(before, names, tie), after && findPlace(after, names, tie)];
      units += indexUnits(
        left && before,
        right && after,
        left?.hash !== right?.hash || left?.range !== right?.range,
      );
      if (left) rows.delete(left);
      if (right && after) rows.put(right, after);
    }
    return units;
  }
}

function keyNames(schema: readonly KeyPart[]): KeyNames {
  const named = (type: string) => schema.find(({ KeyType }) => KeyType === type)?.AttributeName;
  const hash = named("HASH");
  if (hash === undefined) throw invalid("A table has a partition key.");
  return { hash, range: named("RANGE") };
}

/** What the change of an index's entry takes: nothing where it stays as it is. */
function indexUnits(before: Attributes | undefined, after: Attributes | undefined, isMoved: boolean): number {
  if (!before || !after) return before || after ? writeUnits(before, after) : 0;
  if (isMoved) return writeUnits(before) + writeUnits(after);
  return areEqualItems(before, after) ? 0 : writeUnits(before, after);
}

/** Of the larger of both. */
function writeUnits(...images: readonly (Attributes | undefined)[]): number {
  const bytes = Math.max(...images.map((image) => (image ? sizeOfItem(image) : 0)));
  return Math.max(1, Math.ceil(bytes / 1_024));
}

function readUnits(bytes: number, isConsistent: boolean | undefined): number {
  return Math.max(1, Math.ceil(bytes / 4_096)) / (isConsistent ? 1 : 2);
}

interface KeyPart {
  readonly AttributeName: string;
  readonly KeyType: string;
}

interface CreateTable {
  readonly TableName: string;
  readonly KeySchema: readonly KeyPart[];
  readonly GlobalSecondaryIndexes?: readonly {
    readonly IndexName: string;
    readonly KeySchema: readonly KeyPart[];
    readonly Projection?: { readonly ProjectionType?: string };
  }[];
}

interface Measured {
  readonly ReturnConsumedCapacity?: string;
}

interface Write extends Placeholders, Measured {
  readonly TableName: string;
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly ConditionExpression?: string;
  readonly UpdateExpression?: string;
  readonly ReturnValues?: string;
  readonly ReturnValuesOnConditionCheckFailure?: string;
}

interface Get extends Placeholders, Measured {
  readonly TableName: string;
  readonly Key: Attributes;
  readonly ConsistentRead?: boolean;
  readonly ProjectionExpression?: string;
}

interface Read extends Placeholders, Measured {
  readonly TableName: string;
  readonly IndexName?: string;
  readonly ConsistentRead?: boolean;
  readonly KeyConditionExpression?: string;
  readonly FilterExpression?: string;
  readonly ProjectionExpression?: string;
  readonly ScanIndexForward?: boolean;
  readonly Limit?: number;
  readonly ExclusiveStartKey?: Attributes;
}

interface BatchGet extends Measured {
  readonly RequestItems: Readonly<
    Record<string, Omit<Get, "TableName" | "Key"> & { readonly Keys: Attributes[] }>
  >;
}

interface BatchWrite extends Measured {
  readonly RequestItems: Readonly<
    Record<
      string,
      readonly { readonly PutRequest?: { Item: Attributes }; readonly DeleteRequest?: { Key: Attributes } }[]
    >
  >;
}

interface TransactWrite extends Measured {
  readonly TransactItems: readonly Readonly<Partial<Record<WriteKind, Write>>>[];
  readonly ClientRequestToken?: string;
}

interface TransactGet extends Measured {
  readonly TransactItems: readonly { readonly Get: Get }[];
}

type WriteKind = "Put" | "Update" | "Delete" | "ConditionCheck";

/** What a write changes, decided and not yet done. */
interface Planned {
  readonly table: Table;
  readonly place: Place;
  readonly before: Attributes | undefined;
  readonly after: Attributes | undefined;
}

/**
 * The part of DynamoDB that the platform uses, in this process: a call takes a tenth of one to
 * an engine beside it. Each call is done at once, as a whole. What it refuses, it refuses as
 * DynamoDB does. test/shared/own-engine.proof.test.ts compares it with the engine of `npm start`.
 */
export class OwnEngine {
  readonly #tables = new Map<string, Table>();
  readonly #tokens = new Map<string, { readonly request: object; readonly atMs: number }>();
  readonly #operations: Readonly<Record<string, (input: never) => object>> = {
    CreateTable: (input: CreateTable) => this.#createTable(input),
    GetItem: (input: Get) => this.#getItem(input),
    PutItem: (input: Write) => this.#write("Put", input),
    UpdateItem: (input: Write) => this.#write("Update", input),
    DeleteItem: (input: Write) => this.#write("Delete", input),
    Query: (input: Read) => this.#query(input),
    Scan: (input: Read) => this.#scan(input),
    BatchGetItem: (input: BatchGet) => this.#batchGet(input),
    BatchWriteItem: (input: BatchWrite) => this.#batchWrite(input),
    TransactGetItems: (input: TransactGet) => this.#transactGet(input),
    TransactWriteItems: (input: TransactWrite) => this.#transactWrite(input),
  };

  /**
   * Takes and returns what a call's JSON has.
   * @throws EngineError
   */
  execute(operation: string, input: object): object {
    const execute = this.#operations[operation];
    if (!execute) throw new EngineError("UnknownOperationException", `There is no ${operation} here.`);
    return execute(input as never);
  }

  /**
   * What partitions that begin so hold, in the order of the keys: the items themselves, which must
   * not be changed. A changed item is another object.
   */
  *items(TableName: string, prefix = ""): Generator<Attributes, void> {
    const { rows, names } = this.#table(TableName);
    for (const item of rows.all({ hash: prefix, range: "", tie: "" })) {
      if (!item[names.hash]?.S?.startsWith(prefix)) return;
      yield item;
    }
  }

  #table(name: string): Table {
    const table = this.#tables.get(name);
    if (table) return table;
    throw new EngineError("ResourceNotFoundException", "Requested resource not found");
  }

  #createTable(input: CreateTable): object {
    if (this.#tables.has(input.TableName))
      throw new EngineError("ResourceInUseException", `Table already exists: ${input.TableName}`);
    this.#tables.set(input.TableName, new Table(input));
    return { TableDescription: { TableName: input.TableName, TableStatus: "ACTIVE" } };
  }

  #getItem(input: Get): object {
    const { Item, bytes } = this.#get(input);
    const units = readUnits(bytes, input.ConsistentRead);
    return { ...(Item && { Item }), ...consumed(input, input.TableName, units) };
  }

  #get(input: Get): { readonly Item: Attributes | undefined; readonly bytes: number } {
    const table = this.#table(input.TableName);
    const project = projection(input);
    const item = table.rows.get(table.placeOf(input.Key));
    return { Item: item && project(item), bytes: item ? sizeOfItem(item) : 0 };
  }

  #write(kind: WriteKind, input: Write): object {
    const planned = this.#plan(kind, input);
    const { table, place, before, after } = planned;
    const units = writeUnits(before, after) + table.replace(place, before, after);
    const { ReturnValues: returned } = input;
    const image = returned === "ALL_OLD" ? before : returned === "ALL_NEW" ? after : undefined;
    return { ...(image && { Attributes: shown(image) }), ...consumed(input, table.name, units) };
  }

  /** @throws EngineError for a condition that fails, or a write that cannot be made */
  #plan(kind: WriteKind, input: Write): Planned {
    const table = this.#table(input.TableName);
    const condition =
      input.ConditionExpression === undefined ? [] : [parseCondition(input.ConditionExpression)];
    const update =
      kind === "Update" && input.UpdateExpression !== undefined ? [parseUpdate(input.UpdateExpression)] : [];
    requirePlaceholders(input, [...condition, ...update]);
    update[0]?.use.require(input);
    const place = kind === "Put" ? table.placeOfItem(input.Item ?? {}) : table.placeOf(input.Key ?? {});
    const before = table.rows.get(place);
    if (condition.some(({ use }) => !use(before ?? {}, input))) throw conditionFailed(input, before);
    if (kind === "ConditionCheck") return { table, place, before, after: before };
    if (kind === "Delete") return { table, place, before, after: undefined };
    const start = before ?? input.Key ?? {};
    const after =
      kind === "Put" ? toStored(input.Item ?? {}) : toStored(update[0]?.use.apply(start, input) ?? start);
    for (const name of [table.names.hash, table.names.range])
      if (kind === "Update" && name !== undefined && after[name]?.S !== input.Key?.[name]?.S)
        throw invalid(`One or more parameter values were invalid: Cannot update attribute ${name}.`);
    for (const { names } of table.indexes.values()) findPlace(after, names);
    if (sizeOfItem(after) > mostOfAnItem) throw invalid("Item size has exceeded the maximum allowed size");
    return { table, place, before, after };
  }

  #query(input: Read): object {
    const table = this.#table(input.TableName);
    const { names, rows } = source(table, input);
    const { KeyConditionExpression: text = "" } = input;
    const condition = parseCondition(text);
    requirePlaceholders(input, [condition, ...readerExpressions(input)]);
    const hash = partitionOf(text, names, input);
    const isBackwards = input.ScanIndexForward === false;
    const from = input.ExclusiveStartKey && startOf(table, input, input.ExclusiveStartKey);
    const isAsked = (item: Attributes) => condition.use(item, input);
    return page(table, input, filtered(rows.partition(hash, from, isBackwards), isAsked));
  }

  #scan(input: Read): object {
    const table = this.#table(input.TableName);
    requirePlaceholders(input, readerExpressions(input));
    if ("Segment" in input) throw invalid("Segments are not scanned here.");
    const from = input.ExclusiveStartKey && startOf(table, input, input.ExclusiveStartKey);
    return page(table, input, source(table, input).rows.all(from));
  }

  #batchGet({ RequestItems, ...input }: BatchGet): object {
    const asked = Object.entries(RequestItems);
    requireCount(
      asked.flatMap(([, { Keys }]) => Keys),
      100,
    );
    const Responses: Record<string, Attributes[]> = {};
    const units: Record<string, number> = {};
    for (const [TableName, { Keys, ...how }] of asked) {
      requireDistinct(
        Keys.map((Key) => ({ TableName, Key })),
        "Provided list of item keys contains duplicates",
      );
      const found = Keys.map((Key) => this.#get({ TableName, Key, ...how }));
      Responses[TableName] = found.flatMap(({ Item }) => (Item ? [Item] : []));
      units[TableName] = found.reduce((sum, { bytes }) => sum + readUnits(bytes, how.ConsistentRead), 0);
    }
    return { Responses, UnprocessedKeys: {}, ...consumedOf(input, units) };
  }

  #batchWrite({ RequestItems, ...input }: BatchWrite): object {
    const writes = Object.entries(RequestItems).flatMap(([TableName, requests]) =>
      requests.map(({ PutRequest: put, DeleteRequest: remove }) =>
        put
          ? { kind: "Put" as const, write: { TableName, Item: put.Item } }
          : { kind: "Delete" as const, write: { TableName, Key: remove?.Key } },
      ),
    );
    requireCount(writes, 25);
    const planned = writes.map(({ kind, write }) => this.#plan(kind, write as Write));
    requireDistinctPlaces(planned, "Provided list of item keys contains duplicates");
    return { UnprocessedItems: {}, ...consumedOf(input, carryOut(planned, 1)) };
  }

  #transactGet({ TransactItems, ...input }: TransactGet): object {
    requireCount(TransactItems, 100);
    const units: Record<string, number> = {};
    const Responses = TransactItems.map(({ Get: get }) => {
      const { Item, bytes } = this.#get(get);
      units[get.TableName] = (units[get.TableName] ?? 0) + 2 * readUnits(bytes, true);
      return Item ? { Item } : {};
    });
    return { Responses, ...consumedOf(input, units) };
  }

  #transactWrite(input: TransactWrite): object {
    const { TransactItems, ClientRequestToken: token, ...rest } = input;
    requireCount(TransactItems, 100);
    const repeated = token !== undefined && this.#isRepeated(token, TransactItems);
    const writes = TransactItems.map((item) => Object.entries(item)[0] as [WriteKind, Write]);
    requireDistinct(
      writes.map(([, write]) => this.#target(write)),
      "Transaction request cannot include multiple operations on one item",
    );
    if (repeated) return consumedOf(rest, {});
    const outcomes = writes.map(([kind, write]) => this.#tryPlan(kind, write));
    if (outcomes.some((one) => one instanceof EngineError)) throw cancelled(outcomes);
    const planned = outcomes as Planned[];
    const bytes = planned.reduce((sum, { after }) => sum + (after ? sizeOfItem(after) : 0), 0);
    if (bytes > mostOfATransaction) throw invalid("The aggregate size of the items exceeds the 4MB limit");
    if (token !== undefined) this.#remember(token, TransactItems);
    return consumedOf(rest, carryOut(planned, 2));
  }

  #remember(token: string, request: object): void {
    this.#tokens.set(token, { request, atMs: Date.now() });
    const [oldest = token] = this.#tokens.keys();
    if (this.#tokens.size > mostTokens) this.#tokens.delete(oldest);
  }

  #isRepeated(token: string, request: object): boolean {
    const before = this.#tokens.get(token);
    if (!before || Date.now() - before.atMs > tokenMs) return false;
    if (JSON.stringify(before.request) === JSON.stringify(request)) return true;
    throw new EngineError("IdempotentParameterMismatchException", "The token was of another request.");
  }

  #target({ TableName, Key, Item = {} }: Write): { readonly TableName: string; readonly Key: Attributes } {
    const { hash, range = hash } = this.#table(TableName).names;
    return { TableName, Key: Key ?? { [hash]: Item[hash] ?? {}, [range]: Item[range] ?? {} } };
  }

  #tryPlan(kind: WriteKind, write: Write): Planned | EngineError {
    try {
      return this.#plan(kind, write);
    } catch (error) {
      if (error instanceof EngineError) return error;
      throw error;
    }
  }
}

function carryOut(planned: readonly Planned[], factor: number): Record<string, number> {
  const units: Record<string, number> = {};
  for (const { table, place, before, after } of planned) {
    const own = factor * writeUnits(before, after);
    const ofIndexes = before === after ? 0 : table.replace(place, before, after);
    units[table.name] = (units[table.name] ?? 0) + own + ofIndexes;
  }
  return units;
}

function conditionFailed(input: Write, before: Attributes | undefined): EngineError {
  const isReturned = input.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && before;
  return new EngineError(
    "ConditionalCheckFailedException",
    "The conditional request failed",
    isReturned ? { Item: shown(before) } : {},
  );
}

const codes: Readonly<Record<string, string>> = {
  ConditionalCheckFailedException: "ConditionalCheckFailed",
  ValidationException: "ValidationError",
};

function cancelled(outcomes: readonly (Planned | EngineError)[]): EngineError {
  const CancellationReasons = outcomes.map((outcome) => {
    if (!(outcome instanceof EngineError)) return { Code: "None" };
    const Code = codes[outcome.name];
    if (Code === undefined) throw outcome;
    return { Code, Message: outcome.message, ...outcome.members };
  });
  const named = CancellationReasons.map(({ Code }) => Code).join(", ");
  return new EngineError(
    "TransactionCanceledException",
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${named}]`,
    { CancellationReasons },
  );
}

function requirePlaceholders(given: Placeholders, expressions: readonly Parsed<unknown>[]): void {
  const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = given;
  for (const [field, map] of Object.entries({
    ExpressionAttributeNames: names,
    ExpressionAttributeValues: values,
  })) {
    if (map === undefined) continue;
    const given = Object.keys(map);
    if (given.length === 0) throw invalid(`${field} must not be empty`);
    const unused = given.find((name) => !expressions.some(({ placeholders }) => placeholders.has(name)));
    if (unused !== undefined)
      throw invalid(`Value provided in ${field} unused in expressions: keys: {${unused}}`);
  }
}

function readerExpressions(input: Read): Parsed<unknown>[] {
  const { FilterExpression: filter, ProjectionExpression: projected } = input;
  return [
    ...(filter === undefined ? [] : [parseCondition(filter)]),
    ...(projected === undefined ? [] : [parseProjection(projected)]),
  ];
}

function projection(input: Get | Read): (item: Attributes) => Attributes {
  const { ProjectionExpression: text } = input;
  if (text === undefined) return shown;
  const { use } = parseProjection(text);
  return (item) => use(item, input);
}

function source(table: Table, { IndexName: name, ConsistentRead }: Read): Index {
  if (name === undefined) return table;
  const index = table.indexes.get(name);
  if (!index) throw invalid(`The table does not have the specified index: ${name}`);
  if (ConsistentRead) throw invalid("Consistent reads are not supported on global secondary indexes");
  return index;
}

/** A query names its partition by an equation. */
function partitionOf(text: string, { hash }: KeyNames, given: Placeholders): string {
  for (const [, name = "", value = ""] of text.matchAll(/([#\w]+)\s*=\s*(:\w+)/g)) {
    const { ExpressionAttributeNames: names, ExpressionAttributeValues: values } = given;
    const partition = values?.[value]?.S;
    if ((names?.[name] ?? name) === hash && partition !== undefined && partition !== "") return partition;
  }
  throw invalid(`Query condition missed key schema element: ${hash}`);
}

function startOf(table: Table, input: Read, start: Attributes): Place {
  const { names } = source(table, input);
  const own = findPlace(start, table.names);
  const place = own && findPlace(start, names, names === table.names ? "" : `${own.hash} ${own.range}`);
  if (!place) throw invalid("The provided starting key is invalid");
  return place;
}

function* filtered(items: Iterable<Attributes>, isAsked: (item: Attributes) => boolean) {
  for (const item of items) if (isAsked(item)) yield item;
}

/** Items up to the limit of a page, before those are left out that do not pass the filter. */
function page(table: Table, input: Read, items: Iterable<Attributes>): object {
  const { FilterExpression: filter, Limit = Number.POSITIVE_INFINITY } = input;
  const passes = filter === undefined ? undefined : parseCondition(filter).use;
  const project = projection(input);
  const Items: Attributes[] = [];
  let [bytes, ScannedCount, last] = [0, 0, undefined as Attributes | undefined];
  let isWhole = true;
  for (const item of items) {
    const size = sizeOfItem(item);
    if (ScannedCount > 0 && bytes + size > mostOfAPage) {
      isWhole = false;
      break;
    }
    bytes += size;
    ScannedCount += 1;
    last = item;
    if (!passes || passes(item, input)) Items.push(project(item));
    if (ScannedCount === Limit) {
      isWhole = false;
      break;
    }
  }
  const names = [table.names, source(table, input).names].flatMap(({ hash, range }) => [hash, range ?? hash]);
  const key = last && Object.fromEntries(names.map((name) => [name, { ...(last[name] as Attribute) }]));
  return {
    ...{ Items, Count: Items.length, ScannedCount },
    ...(!isWhole && { LastEvaluatedKey: key }),
    ...consumed(input, table.name, readUnits(bytes, input.ConsistentRead)),
  };
}

function consumed({ ReturnConsumedCapacity: wanted }: Measured, TableName: string, CapacityUnits: number) {
  return wanted === "TOTAL" && { ConsumedCapacity: { TableName, CapacityUnits } };
}

function consumedOf({ ReturnConsumedCapacity: wanted }: Measured, units: Readonly<Record<string, number>>) {
  if (wanted !== "TOTAL") return {};
  const names = Object.keys(units).sort(compareTexts);
  return { ConsumedCapacity: names.map((TableName) => ({ TableName, CapacityUnits: units[TableName] })) };
}

function requireCount(all: readonly unknown[], most: number): void {
  if (all.length === 0 || all.length > most)
    throw invalid(`1 validation error detected: Member must have length between 1 and ${most}`);
}

function requireDistinct(
  keys: readonly { readonly TableName: string; readonly Key: Attributes }[],
  message: string,
) {
  const texts = keys.map(({ TableName, Key }) =>
    JSON.stringify([
      TableName,
      ...Object.keys(Key)
        .sort()
        .map((name) => Key[name]),
    ]),
  );
  if (new Set(texts).size < texts.length) throw invalid(message);
}

function requireDistinctPlaces(planned: readonly Planned[], message: string): void {
  const texts = planned.map(({ table, place }) => JSON.stringify([table.name, place.hash, place.range]));
  if (new Set(texts).size < texts.length) throw invalid(message);
}

/** Numbers as they are returned; sets have elements. */
function toStored(item: Attributes): Attributes {
  const stored: Attributes = {};
  for (const name in item) stored[name] = toStoredValue(item[name] as Attribute);
  return stored;
}

function toStoredValue(value: Attribute): Attribute {
  if (value.N !== undefined) return { N: plainNumber(value.N) };
  if (value.M) return { M: toStored(value.M) };
  if (value.L) return { L: value.L.map(toStoredValue) };
  const elements = value.SS ?? value.NS ?? value.BS;
  if (elements?.length === 0) throw invalid("An string set  may not be empty");
  if (elements && new Set(elements).size < elements.length)
    throw invalid("Input collection contains duplicates.");
  return value.NS ? { NS: value.NS.map(plainNumber) } : value;
}
