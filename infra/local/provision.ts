import { isDeepStrictEqual } from "node:util";
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceNotFoundException,
  type TableDescription,
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
    queueName(assembly, RedrivePolicy?.deadLetterTargetArn);
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
 * Creates tables. Throws if one is there with another key, stream or index than the template's:
 * its store has another layout.
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
  const there = toLayout(existing);
  const wanted = toLayout({ KeySchema, GlobalSecondaryIndexes: indexes, StreamSpecification });
  if (isDeepStrictEqual(there, wanted)) return;
  throw new Error(
    `Table ${TableName} has the key, stream and indexes ${JSON.stringify(there)}, and the template wants ${JSON.stringify(wanted)}. ` +
      "That cannot be changed in place: start with another LOCAL_DIR, or delete this one.",
  );
}

/** Descriptions have more members, in an order of their own. */
function toLayout({ KeySchema: key, GlobalSecondaryIndexes, StreamSpecification }: TableDescription) {
  const indexes = (GlobalSecondaryIndexes ?? []).map(({ IndexName, KeySchema, Projection }) => {
    const { ProjectionType, NonKeyAttributes } = Projection ?? {};
    return [IndexName, KeySchema, ProjectionType, NonKeyAttributes?.toSorted() ?? []];
  });
  return JSON.parse(JSON.stringify([key, StreamSpecification?.StreamViewType, ...indexes.toSorted()]));
}

async function describe(client: DynamoDBClient, TableName: string): Promise<TableDescription | undefined> {
  try {
    return (await client.send(new DescribeTableCommand({ TableName }))).Table;
  } catch (error) {
    if (error instanceof ResourceNotFoundException) return undefined;
    throw error;
  }
}
