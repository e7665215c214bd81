import { ConnectionPort, type ConnectionView } from "../../contract/connections.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { idStart, withoutPrefix } from "../../platform/id.ts";
import { type Connection, connections, type ReplacedConnection } from "./connection.ts";

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

export async function readConnection(programId: string, port: ConnectionPort): Promise<Connection> {
  return (await connections.at(programId, port).get()) ?? defaultConnection(programId, port);
}

/** Whether a connection of an existing Program has the id: any default, stored or replaced one. */
export async function hasConnection(programId: string, connectionId: string): Promise<boolean> {
  if (ports.some((port) => defaultConnectionId(programId, port) === connectionId)) return true;
  const stored = (await connections.list(programId)).flatMap((one) => [one, ...(one.replaced ?? [])]);
  return stored.some((one) => one.connectionId === connectionId);
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
