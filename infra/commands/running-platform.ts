import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";

const Connection = z.object({
  operatorUrl: z.url(),
  controlUrl: z.url(),
  processorQueueUrl: z.url(),
  store: z.object({ endpoint: z.url(), region: z.string() }),
});

/** The SDK's clients require credentials; the local engines accept any. */
export const localCredentials = { accessKeyId: "local", secretAccessKey: "local" };

/** Reads the local platform's connection. Throws if none runs in LOCAL_DIR. */
export function readConnection(): z.output<typeof Connection> {
  const directory = path.resolve(process.env.LOCAL_DIR || ".local");
  const file = path.join(directory, "connection.json");
  if (!existsSync(file)) throw new Error(`No platform runs in ${directory}. Start it with npm start.`);
  return Connection.parse(JSON.parse(readFileSync(file, "utf8")));
}
