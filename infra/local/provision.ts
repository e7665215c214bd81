import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  type GlobalSecondaryIndexDescription,
  ResourceNotFoundException,
  type TableDescription,
  UpdateTableCommand,
  type UpdateTableCommandInput,
} from "@aws-sdk/client-dynamodb";
import { z } from "zod";
import type { SqsEngine } from "./engines/sqs.ts";
import { type Assembly, queueName, type Resource, readProperties } from "./template.ts";

/** The engines accept any credentials; fixed ones keep the SDK from searching for real ones. */
export const localIdentity = {
  credentials: { accessKeyId: "local", secretAccessKey: "local" },
  maxAttempts: 5,
} as const;

const QueueProperties = z.object({
  MaximumMessageSize: z.coerce.string().default("1048576"),
  MessageRetentionPeriod: z.coerce.string().default("345600"),
  VisibilityTimeout: z.coerce.string().default("30"),
  RedrivePolicy: z
    .strictObject({ deadLetterTargetArn: z.string(), maxReceiveCount: z.coerce.number().int().positive() })
    .optional(),
});

export async function provisionQueues(assembly: Assembly, engine: SqsEngine): Promise<void> {
  for (const queue of assembly.ofType("AWS::SQS::Queue")) {
    const { RedrivePolicy, ...attributes } = readProperties(queue, QueueProperties);
    if (RedrivePolicy) queueName(assembly, RedrivePolicy.deadLetterTargetArn);
    const name = queue.physicalName;
    await engine.declareQueue({
      name,
      url: `${engine.endpoint}/${assembly.account}/${name}`,
      arn: queue.arn,
      attributes: { ...attributes, ...(RedrivePolicy && { RedrivePolicy: JSON.stringify(RedrivePolicy) }) },
    });
  }
}

const KeySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(["HASH", "RANGE"]) }));

const IndexProperties = z.object({
  IndexName: z.string(),
  KeySchema,
  Projection: z.strictObject({
    ProjectionType: z.enum(["ALL", "INCLUDE", "KEYS_ONLY"]),
    NonKeyAttributes: z.array(z.string()).optional(),
  }),
});
type IndexProperties = z.infer<typeof IndexProperties>;

const TableProperties = z.object({
  KeySchema,
  AttributeDefinitions: z.array(
    z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(["S", "N", "B"]) }),
  ),
  GlobalSecondaryIndexes: z.array(IndexProperties).default([]),
  StreamSpecification: z
    .object({ StreamViewType: z.enum(["NEW_AND_OLD_IMAGES", "NEW_IMAGE", "OLD_IMAGE", "KEYS_ONLY"]) })
    .optional(),
});

/**
 * Creates tables, or brings their indexes and streams up to date: a changed index is built anew.
 * Throws if a table's key changed: no engine can change it.
 */
export async function provisionTables(assembly: Assembly, endpoint: string): Promise<void> {
  const client = new DynamoDBClient({ ...localIdentity, region: assembly.region, endpoint });
  try {
    const tables = assembly.ofType("AWS::DynamoDB::GlobalTable");
    await Promise.all(tables.map((table) => provisionTable(table, client)));
  } finally {
    client.destroy();
  }
}

async function provisionTable(resource: Resource, client: DynamoDBClient): Promise<void> {
  const properties = readProperties(resource, TableProperties);
  const TableName = resource.physicalName;
  const { KeySchema, AttributeDefinitions, GlobalSecondaryIndexes: indexes } = properties;
  const StreamSpecification = properties.StreamSpecification && {
    StreamEnabled: true,
    StreamViewType: properties.StreamSpecification.StreamViewType,
  };
  const existing = await describe(client, TableName);
  if (existing === undefined) {
    await client.send(
      new CreateTableCommand({
        TableName,
        KeySchema,
        AttributeDefinitions,
        BillingMode: "PAY_PER_REQUEST",
        StreamSpecification,
        ...(indexes.length > 0 && { GlobalSecondaryIndexes: indexes }),
      }),
    );
    return;
  }
  rejectChange(`Table ${TableName} has the key`, existing.KeySchema, KeySchema);
  const update = async (changes: Partial<UpdateTableCommandInput>) => {
    await client.send(new UpdateTableCommand({ TableName, ...changes }));
    await waitForIndexes(client, TableName);
  };
  const unchanged = (existing.GlobalSecondaryIndexes ?? []).filter((known) =>
    indexes.some((index) => isSameIndex(known, index)),
  );
  for (const known of existing.GlobalSecondaryIndexes ?? []) {
    if (unchanged.includes(known)) continue;
    await update({ GlobalSecondaryIndexUpdates: [{ Delete: { IndexName: known.IndexName } }] });
  }
  for (const index of indexes) {
    const isThere = unchanged.some(({ IndexName }) => IndexName === index.IndexName);
    if (isThere) continue;
    await update({ AttributeDefinitions, GlobalSecondaryIndexUpdates: [{ Create: index }] });
  }
  if (StreamSpecification !== undefined && existing.StreamSpecification?.StreamEnabled !== true) {
    await client.send(new UpdateTableCommand({ TableName, StreamSpecification }));
  }
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}

/** A table changes one index at a time, and DynamoDB Local does so in the background. */
async function waitForIndexes(client: DynamoDBClient, TableName: string): Promise<void> {
  for (;;) {
    const table = await describe(client, TableName);
    if (table?.GlobalSecondaryIndexes?.every((index) => index.IndexStatus === "ACTIVE") !== false) return;
    await delay(50);
  }
}

function isSameIndex(known: GlobalSecondaryIndexDescription, index: IndexProperties): boolean {
  return isSame(
    [known.IndexName, known.KeySchema, toProjection(known)],
    [index.IndexName, index.KeySchema, toProjection(index)],
  );
}

function toProjection(index: GlobalSecondaryIndexDescription | IndexProperties): unknown {
  return [index.Projection?.ProjectionType, index.Projection?.NonKeyAttributes?.toSorted() ?? []];
}

function rejectChange(what: string, has: unknown, wants: unknown): void {
  if (isSame(has, wants)) return;
  throw new Error(
    `${what} ${JSON.stringify(has)} and the template wants ${JSON.stringify(wants)}. ` +
      "That cannot be changed in place: start with another LOCAL_DIR, or delete this one.",
  );
}

/** As JSON: descriptions have undefined members. */
function isSame(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(JSON.parse(JSON.stringify(one)), JSON.parse(JSON.stringify(other)));
}
