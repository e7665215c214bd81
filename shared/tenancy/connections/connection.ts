import * as z from "zod";
import { ConnectionAdapter, ConnectionPort, type ConnectionView } from "../../contract/connections.ts";
import { id } from "../../contract/primitives.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { idStart, withoutPrefix } from "../../platform/id.ts";
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

const ports = ConnectionPort.options;

/** The connection of a Program that has stored none for the port. */
export function defaultConnection(programId: string, port: ConnectionPort): Connection {
  const adapters = {
    processor: "iso8583",
    compliance: environment.name === "local" ? "local" : "http",
    bank: "iso20022",
    custodian: "deposits",
  } as const;
  return { connectionId: defaultConnectionId(programId, port), port, adapter: adapters[port] };
}

/** The Program's own ULID with another first digit, which no drawn one has before the year 3000. */
function defaultConnectionId(programId: string, port: ConnectionPort): string {
  return `${idStart("connection")}${ports.indexOf(port) + 1}${withoutPrefix(programId).slice(1)}`;
}

/** Whether a connection of an existing Program has the id: any default, stored or replaced one. */
export async function hasConnection(programId: string, connectionId: string): Promise<boolean> {
  if (ports.some((port) => defaultConnectionId(programId, port) === connectionId)) return true;
  const stored = (await connections.list(programId)).flatMap((one) => [one, ...(one.replaced ?? [])]);
  return stored.some((one) => one.connectionId === connectionId);
}

export async function readConnection(programId: string, port: ConnectionPort): Promise<Connection> {
  return (await connections.at(programId, port).get()) ?? defaultConnection(programId, port);
}

/**
 * Whether the card network is the Program's processor: another one settles itself, and money would
 * move twice. The network's listener may read nothing else of a connection.
 */
export async function hasNetwork(programId: string): Promise<boolean> {
  const { adapter = "iso8583" } = await connections.at(programId, "processor").getOnly("adapter");
  return adapter === "iso8583";
}

/** The one in force of each port. */
export async function readConnections(programId: string): Promise<Connection[]> {
  const stored = await connections.list(programId);
  return ports.map((port) => stored.find((one) => one.port === port) ?? defaultConnection(programId, port));
}

/** Those replaced connections whose webhooks are accepted. */
export function stillAccepted({ replaced = [] }: Pick<Connection, "replaced">): ReplacedConnection[] {
  return replaced.filter(({ acceptedUntil }) => acceptedUntil > timestamp());
}

/** The connection that accepts webhooks under this id. */
export async function findAccepting(
  programId: string,
  connectionId: string,
): Promise<Connection | undefined> {
  return (await readConnections(programId))
    .flatMap((one) => [one, ...stillAccepted(one).map((replaced) => ({ ...replaced, port: one.port }))])
    .find((one) => one.connectionId === connectionId);
}

export function toConnectionView(
  programId: string,
  { connectionId, port, adapter, url, createdAt, ...connection }: Connection,
  programCreatedAt: string,
): ConnectionView {
  const webhookUrl = (ofId: string) => `${environment.webhookBaseUrl}/connections/${programId}/${ofId}`;
  const replaced = stillAccepted(connection).map(({ secret: _, ...one }) => ({
    ...one,
    webhookUrl: webhookUrl(one.connectionId),
  }));
  return {
    connectionId,
    port,
    adapter,
    url,
    webhookUrl: webhookUrl(connectionId),
    dateCreated: createdAt ?? programCreatedAt,
    ...(replaced.length > 0 && { replaced }),
  };
}
