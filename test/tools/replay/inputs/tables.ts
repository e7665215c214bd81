import { createHash } from "node:crypto";
import { DynamoDBClient, ScanCommand } from "@aws-sdk/client-dynamodb";
import { localIdentity } from "../../../../infra/local/provision.ts";
import type { Assembly } from "../../../../infra/local/template.ts";
import { canonicalText, describeKey, toWhole } from "../turns/written.ts";
import type { TableDigest } from "./recording-file.ts";

/** A digest of all records of each table, in the order of their keys. */
export async function digestTables(
  assembly: Assembly,
  endpoint: string,
): Promise<Record<string, TableDigest>> {
  const client = new DynamoDBClient({ ...localIdentity, region: assembly.region, endpoint });
  try {
    const digests: Record<string, TableDigest> = {};
    for (const { physicalName } of assembly.ofType("AWS::DynamoDB::GlobalTable"))
      digests[physicalName] = await digestTable(client, physicalName);
    return digests;
  } finally {
    client.destroy();
  }
}

async function digestTable(client: DynamoDBClient, TableName: string): Promise<TableDigest> {
  const items: string[] = [];
  let ExclusiveStartKey: ScanOutputKey;
  do {
    const page = await client.send(new ScanCommand({ TableName, ExclusiveStartKey }));
    for (const item of page.Items ?? []) {
      const { pk, sk } = item;
      items.push(`${describeKey({ pk, sk })} ${canonicalText(asText(toWhole(item)))}`);
    }
    ExclusiveStartKey = page.LastEvaluatedKey;
  } while (ExclusiveStartKey !== undefined);
  const digest = createHash("sha256").update(items.toSorted().join("\n")).digest("base64url");
  return { records: items.length, digest };
}

type ScanOutputKey = NonNullable<ConstructorParameters<typeof ScanCommand>[0]>["ExclusiveStartKey"];

/** Binary values as Base64. */
function asText(item: unknown): unknown {
  return JSON.parse(
    JSON.stringify(item, (_, value) =>
      value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
    ),
  );
}
