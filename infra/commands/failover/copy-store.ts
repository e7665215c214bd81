import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import { readConnectionFile } from "../../command-line/connection-file.ts";
import { Store } from "../audit/connect-store.ts";
import { localCredentials } from "../invoke-operator.ts";
import { copyTable } from "./copy-table.ts";

const CopiedStore = Store.extend({
  /** Its policy admits nobody but the vault: docs/restore.md says how it is copied. */
  vaultTable: z.string().optional(),
});

/** Makes the tables of the one store as those of the other, which have the same names. */
export async function copyStore(fromFile: string, toFile: string, say: (line: string) => void) {
  const read = (file: string) => readConnectionFile(file, z.object({ store: CopiedStore })).store;
  const [from, to] = [read(fromFile), read(toFile)];
  const clients = { from: connect(from), to: connect(to) };
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

function connect({ region, endpoint }: Store): DynamoDBDocumentClient {
  const local = endpoint !== undefined && { endpoint, credentials: localCredentials };
  return DynamoDBDocumentClient.from(new DynamoDBClient({ region, ...local }));
}
