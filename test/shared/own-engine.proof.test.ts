import { randomUUID } from "node:crypto";
import { expect, inject, it } from "vitest";
import type { Attribute, Attributes } from "../harness/dynamo/attributes.ts";
import { OwnEngine } from "../harness/dynamo/engine.ts";
import { EngineError } from "../harness/dynamo/engine-error.ts";
import { type Random, randomFrom, someSeed } from "../harness/random.ts";

const calls = 3_000;
const TableName = `compared-${randomUUID()}`;

/** What an engine answers, or the exception with all that callers decide by. */
type Answer = Readonly<Record<string, unknown>>;

/** Messages are each engine's own. */
function toFailure(name: string, { Item, CancellationReasons }: Answer): Answer {
  const reasons = (CancellationReasons ?? []) as readonly Answer[];
  return {
    name,
    ...(Item !== undefined && { Item }),
    reasons: reasons.map((reason) => ({ Code: reason.Code, ...(reason.Item ? { Item: reason.Item } : {}) })),
  };
}

async function theirs(operation: string, input: object): Promise<Answer> {
  const answer = await fetch(inject("dynamoEndpoint"), {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      "x-amz-date": "20260101T000000Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=test/20260101/eu-west-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0",
    },
    body: JSON.stringify(input),
  });
  const body = (await answer.json()) as Answer;
  if (answer.ok) return body;
  return toFailure(String(body.__type).split("#")[1] ?? "", body);
}

function ours(engine: OwnEngine, operation: string, input: object): Answer {
  try {
    return engine.execute(operation, structuredClone(input)) as Answer;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return toFailure(error.name, error.members);
  }
}

const sets = ["SS", "NS", "BS"];

/** Sets have no order; empty maps say as much as none; a transaction says its units in two ways. */
function comparable(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, inner) => {
      if (sets.includes(name)) return inner.toSorted();
      if (name === "WriteCapacityUnits" || name === "ReadCapacityUnits") return undefined;
      if (/^Unprocessed/.test(name) && Object.keys(inner).length === 0) return undefined;
      return inner;
    }),
  );
}

const partitions = ["a#1", "a#2", "b#1", "c"];
const sorts = ["PROFILE", "HOLD#1", "HOLD#2", "HOLD#30", "USAGE"];
const names = ["count", "amount", "state", "tags", "inner", "list", "data", "dueShard", "dueAt"];

const keyFrom = (random: Random): Attributes => ({
  pk: { S: random.pick(partitions) },
  sk: { S: random.pick(sorts) },
});

function numberFrom(random: Random): string {
  return random.pick(["0", "1", "-7", "10", "1000", "12.50", "0.001", "-0.5", "9007199254740993", "1e3"]);
}

function valueFrom(random: Random, name: string): Attribute {
  switch (name) {
    case "count":
    case "amount":
      return random.chance(0.9) ? { N: numberFrom(random) } : { S: "none" };
    case "tags":
      return random.chance(0.5) ? { SS: random.pick([["a"], ["a", "b"], ["c", "b"]]) } : { NS: ["1", "2"] };
    case "inner":
      return { M: { day: { N: numberFrom(random) }, deep: { M: { yes: { BOOL: random.chance(0.5) } } } } };
    case "list":
      return { L: [{ S: "x" }, { M: { n: { N: "3" } } }].slice(0, random.below(3)) };
    case "data":
      return random.pick([{ B: "AMj/" }, { S: "ü".repeat(random.below(900)) }, { NULL: true }]);
    case "dueShard":
      return { S: random.pick(["0", "1"]) };
    case "dueAt":
      return { S: `2026-01-0${1 + random.below(5)}` };
    default:
      return { S: random.pick(["open", "closed", "opened"]) };
  }
}

function itemFrom(random: Random): Attributes {
  const some = names.filter(() => random.chance(0.5));
  return { ...keyFrom(random), ...Object.fromEntries(some.map((name) => [name, valueFrom(random, name)])) };
}

/** Names and values of an expression's placeholders, as they are asked for. */
class Given {
  readonly ExpressionAttributeNames: Record<string, string> = {};
  readonly ExpressionAttributeValues: Attributes = {};
  name = (name: string) => {
    this.ExpressionAttributeNames[`#${name}`] = name;
    return `#${name}`;
  };
  value = (value: Attribute) => {
    const placeholder = `:v${Object.keys(this.ExpressionAttributeValues).length}`;
    this.ExpressionAttributeValues[placeholder] = value;
    return placeholder;
  };
  compiled() {
    return Object.fromEntries(
      Object.entries(this).filter(([, map]) => Object.keys(map).length > 0 && typeof map === "object"),
    );
  }
}

function testFrom(random: Random, given: Given, depth = 0): string {
  const name = random.pick(names);
  const path = () => (random.chance(0.1) ? "sk" : given.name(name));
  const value = () => given.value(valueFrom(random, name));
  if (depth < 2 && random.chance(0.3)) {
    const parts = [testFrom(random, given, depth + 1), testFrom(random, given, depth + 1)];
    return random.pick([
      `(${parts.join(" AND ")})`,
      `(${parts.join(" OR ")})`,
      `NOT ${parts[0]} AND ${parts[1]}`,
    ]);
  }
  return random.pick([
    () => "attribute_exists(pk)",
    () => "attribute_not_exists(pk)",
    () => `attribute_exists(${path()})`,
    () => `attribute_not_exists(${path()})`,
    () => `${path()} ${random.pick(["=", "<>", "<", "<=", ">", ">="])} ${value()}`,
    () => `${path()} IN (${value()}, ${value()})`,
    () => `${given.name("inner")}.${given.name("day")} >= ${given.value({ N: numberFrom(random) })}`,
    () => `${given.name("list")}[0] = ${given.value({ S: "x" })}`,
    () => `begins_with(${given.name("state")}, ${given.value({ S: "open" })})`,
    () => `contains(${given.name("tags")}, ${given.value({ S: "a" })})`,
    () => `size(${path()}) < ${given.value({ N: String(random.below(4)) })}`,
  ])();
}

function updateFrom(random: Random, given: Given): string {
  const taken = random.shuffle(names.filter((name) => name !== "tags")).slice(0, 3);
  const [first = "", second = "", third = ""] = taken;
  const fourth = random.pick(["count", "amount", "tags"].filter((name) => !taken.includes(name)));
  const value = (name: string) => given.value(valueFrom(random, name));
  const added = () => (fourth === "tags" ? value("tags") : given.value({ N: numberFrom(random) }));
  const part = (chance: number, text: () => string) => (random.chance(chance) ? text() : undefined);
  const sum = () => `${given.name(first)} = ${given.name(first)} + ${given.value({ N: numberFrom(random) })}`;
  const once = () => `${given.name(first)} = if_not_exists(${given.name(first)}, ${value(first)})`;
  const plain = () => `${given.name(first)} = ${value(first)}`;
  const nested = () => `${given.name("inner")}.${given.name("day")} = ${given.value({ N: "5" })}`;
  const copy = () => `${given.name(first)} = ${given.name(second)}`;
  const clauses = [
    part(0.8, () => `SET ${random.pick([sum, once, plain, plain, plain, nested, copy])()}`),
    part(third === "inner" ? 0 : 0.4, () => `REMOVE ${given.name(third)}`),
    part(0.4, () => `ADD ${given.name(fourth)} ${added()}`),
    part(fourth === "tags" ? 0 : 0.2, () => `DELETE ${given.name("tags")} ${given.value({ SS: ["a"] })}`),
  ];
  return random.shuffle(clauses.filter((clause) => clause !== undefined)).join(" ") || `SET ${plain()}`;
}

type Write = { readonly kind: string; readonly write: object };

function writeFrom(random: Random): Write {
  const given = new Given();
  const kind = random.pick(["Put", "Update", "Update", "Delete"]);
  const what = kind === "Put" ? { Item: itemFrom(random) } : { Key: keyFrom(random) };
  const update = kind === "Update" && { UpdateExpression: updateFrom(random, given) };
  const condition = random.chance(0.5) && { ConditionExpression: testFrom(random, given) };
  const failed = random.chance(0.7) && { ReturnValuesOnConditionCheckFailure: "ALL_OLD" };
  return { kind, write: { TableName, ...what, ...update, ...condition, ...failed, ...given.compiled() } };
}

function transactionFrom(random: Random) {
  const TransactItems = Array.from({ length: 1 + random.below(4) }, () => {
    const { kind, write } = writeFrom(random);
    return { [kind]: write };
  });
  const token = random.chance(0.3) && { ClientRequestToken: `token-${random.below(20)}` };
  return { TransactItems, ...token };
}

function queryFrom(random: Random) {
  const isIndex = random.chance(0.3);
  const [hash, range, value] = isIndex
    ? ["dueShard", "dueAt", valueFrom(random, "dueAt")]
    : ["pk", "sk", { S: random.pick(sorts) }];
  const partition = isIndex ? valueFrom(random, "dueShard") : { S: random.pick(partitions) };
  const and = random.pick([
    "",
    ...(isIndex ? [] : [` AND begins_with(${range}, :v)`]),
    ` AND ${range} BETWEEN :v AND :to`,
    ...["<", ">", "<=", ">=", "="].map((operator) => ` AND ${range} ${operator} :v`),
  ]);
  return {
    TableName,
    ...(isIndex ? { IndexName: "by-due" } : { ConsistentRead: random.chance(0.5) }),
    KeyConditionExpression: `${hash} = :p${and}`,
    ExpressionAttributeValues: {
      ":p": partition,
      ...(and !== "" && { ":v": and.includes("begins") ? { S: "HOLD#" } : value }),
      ...(and.includes(":to") && { ":to": { S: "~" } }),
    },
    ScanIndexForward: random.chance(0.5),
    ...(random.chance(0.4) && { Limit: 1 + random.below(3) }),
  };
}

function callFrom(random: Random): readonly [string, object] {
  const { kind, write } = writeFrom(random);
  const keys = random.shuffle(
    partitions.flatMap((pk) => sorts.map((sk) => ({ pk: { S: pk }, sk: { S: sk } }))),
  );
  const some = keys.slice(0, 1 + random.below(4));
  const returned = kind === "Update" ? ["ALL_NEW", "NONE"] : ["ALL_OLD", "NONE"];
  return random.pick<() => readonly [string, object]>([
    () => ["GetItem", { TableName, Key: some[0], ConsistentRead: random.chance(0.5) }],
    () => [`${kind}Item`, { ...write, ReturnValues: random.pick(returned) }],
    () => [`${kind}Item`, { ...write, ReturnValues: random.pick(returned) }],
    () => ["TransactWriteItems", transactionFrom(random)],
    () => ["TransactWriteItems", transactionFrom(random)],
    () => ["TransactGetItems", { TransactItems: some.map((Key) => ({ Get: { TableName, Key } })) }],
    () => ["Query", queryFrom(random)],
    () => ["Scan", { TableName, ...(random.chance(0.5) && { Limit: 4, ExclusiveStartKey: some[0] }) }],
    () => [
      "BatchWriteItem",
      {
        RequestItems: {
          [TableName]: some.map((Key) =>
            random.pick([
              { DeleteRequest: { Key } },
              { PutRequest: { Item: { ...itemFrom(random), ...Key } } },
            ]),
          ),
        },
      },
    ],
  ])();
}

it("answers each call as the engine of npm start does, and takes as many units", {
  timeout: 120_000,
}, async () => {
  const seed = someSeed();
  console.log(`The seed is ${seed}.`);
  const random = randomFrom(seed);
  const engine = new OwnEngine();
  const schema = { ...inject("tableSchemas").issuing, TableName };
  for (const create of [theirs, ours.bind(undefined, engine)]) await create("CreateTable", schema);
  for (let count = 0; count < calls; count += 1) {
    const [operation, asked] = callFrom(random);
    let input: object = { ...asked, ReturnConsumedCapacity: "TOTAL" };
    for (let isWhole = false; !isWhole; ) {
      const [one, other] = [await theirs(operation, input), ours(engine, operation, input)];
      const about = `${operation} ${JSON.stringify(input)}, seed ${seed}`;
      expect(comparable(other), about).toEqual(comparable(one));
      // The next page goes on where this one ended.
      isWhole = one.LastEvaluatedKey === undefined;
      input = { ...input, ExclusiveStartKey: one.LastEvaluatedKey };
    }
  }
});
