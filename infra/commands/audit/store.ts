import { readFileSync } from "node:fs";
import * as z from "zod";

/** Where a store's tables are. Without an endpoint they are AWS's own, under the credentials of the environment. */
const Store = z.object({
  endpoint: z.url().optional(),
  region: z.string(),
  issuingTable: z.string(),
  accountsTable: z.string(),
});
export type Store = z.output<typeof Store>;

/** The store that a connection file names: `npm start` writes one, and `{"store": {…}}` with the data stack's outputs is one for AWS. */
export function readStore(connectionFile: string): Store {
  return z.object({ store: Store }).parse(JSON.parse(readFileSync(connectionFile, "utf8"))).store;
}

/** Points this process at the store, before what reads it is imported. */
export function useStore({ endpoint, region, issuingTable, accountsTable }: Store): void {
  Object.assign(process.env, {
    AWS_REGION: region,
    ISSUING_TABLE: issuingTable,
    ACCOUNTS_TABLE: accountsTable,
    LOG_LEVEL: "SILENT",
    ...(endpoint !== undefined && {
      AWS_ENDPOINT_URL_DYNAMODB: endpoint,
      AWS_ACCESS_KEY_ID: "local",
      AWS_SECRET_ACCESS_KEY: "local",
    }),
  });
}
