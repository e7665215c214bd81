import * as z from "zod";
import { ConnectionAdapter, ConnectionPort } from "../../contract/connections.ts";
import { id } from "../../contract/primitives.ts";
import { defineEntity } from "../../platform/table/entity.ts";

/** Its webhooks are still accepted: the other side may not have the new secret yet. */
const ReplacedConnection = z.object({
  connectionId: id("connection"),
  adapter: ConnectionAdapter,
  secret: z.string(),
  acceptedUntil: z.string(),
});
export type ReplacedConnection = Readonly<z.output<typeof ReplacedConnection>>;

/** Who is connected to a port of a Program, in place of the port's default. */
export const Connection = z.object({
  connectionId: id("connection"),
  port: ConnectionPort,
  adapter: ConnectionAdapter,
  url: z.string().optional(),
  /** Verifies what the other side sends, and signs what the platform sends. None by default. */
  secret: z.string().optional(),
  createdAt: z.string().optional(),
  createdBy: z.string().optional(),
  /** The newest first. */
  replaced: z.array(ReplacedConnection).readonly().optional(),
  /** Counts the writes; each requires that it is the next. */
  version: z.int().optional(),
});
export type Connection = Readonly<z.output<typeof Connection>>;

export const connections = defineEntity({
  name: "connection",
  table: "accounts",
  schema: Connection,
  key: (programId: string, port: ConnectionPort) => ({ pk: programId, sk: `CONNECTION#${port}` }),
});

/**
 * Whether the card network is the Program's processor: another one settles itself, and money would
 * move twice. The network's listener may read nothing else of a connection.
 */
export async function hasNetwork(programId: string): Promise<boolean> {
  const { adapter = "iso8583" } = await connections.at(programId, "processor").getOnly("adapter");
  return adapter === "iso8583";
}
