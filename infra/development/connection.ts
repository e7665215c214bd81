import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { Connection } from "../command-line/connection.ts";
import { writeWholeFile } from "../local/files.ts";

export { Connection };

export function readConnection(directory: string): Connection | undefined {
  const content = readContent(directory);
  return content === undefined ? undefined : Connection.parse(content);
}

function readContent(directory: string): unknown {
  const file = connectionFile(directory);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

const Demo = Connection.pick({
  tenantId: true,
  programId: true,
  walletId: true,
  programApiKey: true,
  tenantApiKey: true,
}).extend({ bankAccount: z.string().optional() });
export type Demo = z.output<typeof Demo>;

/** Reads what a start reuses. Another version of the platform may have written the file. */
export function readDemo(directory: string): Demo | undefined {
  return Demo.safeParse(readContent(directory)).data;
}

/** The port of the last start. */
export function readWebhookPort(directory: string): number | undefined {
  const { data } = Connection.pick({ webhookBaseUrl: true }).safeParse(readContent(directory));
  return data && Number(new URL(data.webhookBaseUrl).port);
}

/** Writes the file whole or not at all, readable only by its owner. */
export function writeConnection(directory: string, connection: Connection): void {
  writeWholeFile(connectionFile(directory), `${JSON.stringify(connection, null, 2)}\n`, 0o600);
}

export function connectionFile(directory: string): string {
  return join(directory, "connection.json");
}
