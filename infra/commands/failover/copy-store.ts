import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { readConnectionFile } from "../../command-line/connection-file.ts";
import { copyTable } from "./copy-table.ts";

const Store = z.object({
  endpoint: z.url().optional(),
  region: z.string(),
  issuingTable: z.string(),
  accountsTable: z.string(),
  /** Its policy admits nobody but the vault: docs/restore.md says how it is copied. */
  vaultTable: z.string().optional(),
});

/** Makes the tables of the one store as those of the other, which have the same names. */
export async function copyStore(fromFile: string, toFile: string, say: (line: string) => void) {
  const [from, to] = [fromFile, toFile].map(
    (file) => readConnectionFile(file, z.object({ store: Store })).store,
  ) as [z.output<typeof Store>, z.output<typeof Store>];
  const clients = { from: clientOf(from), to: clientOf(to) };
  const copied: Record<string, { written: number; deleted: number }> = {};
  try {
    for (const table of [from.issuingTable, from.accountsTable, from.vaultTable]) {
      if (table === undefined) continue;
      copied[table] = await copyTable({ ...clients, table });
      say(`${table}: ${copied[table].written} items written, ${copied[table].deleted} deleted`);
    }
  } finally {
    for (const client of Object.values(clients)) client.destroy();
  }
  return copied;
}

const local = { accessKeyId: "local", secretAccessKey: "local" };

function clientOf({ region, endpoint }: z.output<typeof Store>): DynamoDBDocumentClient {
  return DynamoDBDocumentClient.from(
    new DynamoDBClient({ region, ...(endpoint !== undefined && { endpoint, credentials: local }) }),
  );
}
