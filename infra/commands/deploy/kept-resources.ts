import * as z from "zod";

/**
 * Properties whose change replaces the resource with an empty one. Arrays are compared as a whole.
 */
const keepers: Readonly<Record<string, readonly string[]>> = {
  // Another stream view creates another stream: unread records of the first are lost.
  "AWS::DynamoDB::GlobalTable": ["TableName", "KeySchema", "LocalSecondaryIndexes", "StreamSpecification"],
  "AWS::Backup::BackupVault": ["BackupVaultName"],
  "AWS::KMS::Key": ["KeySpec", "KeyUsage", "MultiRegion", "Origin"],
  "AWS::S3::Bucket": ["BucketName", "ObjectLockEnabled"],
  // A change generates a new pepper and invalidates every API key.
  "AWS::SecretsManager::Secret": ["Name", "GenerateSecretString", "SecretString"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
  // Customers' hosts, plans with their usage keys, and the topic with its confirmed subscribers.
  "AWS::ApiGateway::DomainName": ["DomainName"],
  "AWS::ApiGateway::UsagePlan": ["UsagePlanName"],
  "AWS::SNS::Topic": ["TopicName", "FifoTopic"],
};

export const KeptResource = z.object({
  type: z.string(),
  fixed: z.record(z.string(), z.unknown()),
  attributes: z.record(z.string(), z.string()).optional(),
  indexes: z.record(z.string(), z.unknown()).optional(),
});
export type KeptResource = z.output<typeof KeptResource>;

export type KeptResources = Readonly<Record<string, KeptResource>>;

/** A change that loses data, or that CloudFormation cannot make. */
interface KeptChange {
  readonly logicalId: string;
  readonly what: string;
}

const Template = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).prefault({}) }),
  ),
  Outputs: z.record(z.string(), z.looseObject({ Value: z.unknown() })).prefault({}),
});
const TableProperties = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.string() })),
  GlobalSecondaryIndexes: z
    .array(z.looseObject({ IndexName: z.string(), KeySchema: z.unknown(), Projection: z.unknown() }))
    .prefault([]),
});

/** CDK's prefix of an output that another stack reads. */
const published = "PublishOutput";

/**
 * Returns the template's kept resources, the layout of its store, and the outputs that other stacks
 * read: without an output, its reader cannot be rolled back.
 */
export function keptResources(template: unknown): KeptResources {
  const { Resources, Outputs } = Template.parse(template);
  const outputs = Object.keys(Outputs)
    .filter((name) => name.startsWith(published))
    .map((name) => [name, { type: "Output", fixed: {} }] as const);
  const layout = Outputs.StoreLayout;
  return Object.fromEntries([
    ...(layout ? [["StoreLayout", { type: "Output", fixed: { Value: layout.Value } }] as const] : []),
    ...outputs,
    ...Object.entries(Resources).flatMap(([logicalId, { Type, Properties }]) => {
      const names = keepers[Type];
      if (names === undefined) return [];
      const fixed = Object.fromEntries(
        names.filter((name) => name in Properties).map((name) => [name, Properties[name]]),
      );
      return [[logicalId, { type: Type, fixed, ...readIndexes(Type, Properties) }] as const];
    }),
  ]);
}

function readIndexes(type: string, properties: unknown): Pick<KeptResource, "attributes" | "indexes"> {
  if (type !== "AWS::DynamoDB::GlobalTable") return {};
  const { AttributeDefinitions, GlobalSecondaryIndexes } = TableProperties.parse(properties);
  return {
    attributes: Object.fromEntries(AttributeDefinitions.map((one) => [one.AttributeName, one.AttributeType])),
    indexes: Object.fromEntries(
      GlobalSecondaryIndexes.map(({ IndexName, KeySchema, Projection }) => [
        IndexName,
        { KeySchema, Projection },
      ]),
    ),
  };
}

/**
 * Returns what a deployment of `next` over `deployed` would lose or cannot do. DynamoDB creates one
 * index of a table at a time, so two new ones are a fault.
 */
export function keptChanges(deployed: KeptResources, next: KeptResources): KeptChange[] {
  return Object.entries(deployed).flatMap(([logicalId, before]) => {
    const after = next[logicalId];
    const toChanges = (whats: readonly string[]) => whats.map((what) => ({ logicalId, what }));
    if (after === undefined) return toChanges([`${before.type} would leave the stack`]);
    if (after.type !== before.type) return toChanges([`${before.type} would become ${after.type}`]);
    return toChanges([
      ...differences("", before.fixed, { ...after.fixed }),
      ...changed("attribute ", before.attributes, after.attributes),
      ...changed("index ", before.indexes, after.indexes),
      ...tooManyIndexes(before, after),
    ]);
  });
}

/** Existing members must stay equal; new ones are fine. */
function changed(kind: string, before: object = {}, after: object = {}): string[] {
  const kept = new Map(Object.entries(after));
  return differences(
    kind,
    before,
    Object.fromEntries(Object.keys(before).map((name) => [name, kept.get(name)])),
  );
}

function differences(kind: string, before: object, after: object): string[] {
  const [left, right] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((name) => canonical(left.get(name)) !== canonical(right.get(name)))
    .map(
      (name) =>
        `${kind}${name} would change from ${canonical(left.get(name))} to ${canonical(right.get(name))}`,
    );
}

function tooManyIndexes({ indexes: before = {} }: KeptResource, { indexes: after = {} }: KeptResource) {
  const added = Object.keys(after).filter((name) => !(name in before));
  if (added.length <= 1) return [];
  return [
    `${added.join(" and ")} would be new indexes. DynamoDB creates one at a time: deploy them one after the other`,
  ];
}

function canonical(value: unknown): string {
  const sorted = (_: string, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : member;
  return JSON.stringify(value, sorted) ?? "nothing";
}
