import { type ConnectionAdapter, ConnectionPort, type ConnectionView } from "../../contract/connections.ts";
import { newSigningSecret, overlapEnd } from "../../platform/callbacks/signature.ts";
import { now, timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { limitReached } from "../../platform/http/api-error.ts";
import { idStart, newId, withoutPrefix } from "../../platform/id.ts";
import { isNew } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact } from "../../platform/table/transact.ts";
import { type Actor, type AuditAction, auditProgram } from "../audit-log.ts";
import type { Program } from "../programs/program.ts";
import { programExists } from "../programs/tenant-program.ts";
import { type Connection, connections, type ReplacedConnection } from "./connection.ts";

export interface ConnectionRequest {
  readonly port: ConnectionPort;
  readonly adapter: ConnectionAdapter;
  readonly url?: string | undefined;
}

/** So that an item stays small. None of them ends before its time: the next one has to wait. */
const maximumReplaced = 5;

/**
 * Replaces the port's connection. Each call draws another secret. Webhooks under the one before are
 * accepted for 24 hours.
 * @throws ApiError LIMIT_REACHED if that many are still accepted
 */
export function connect(
  program: Program,
  request: ConnectionRequest,
  actor: Actor,
  connectionId = newId("connection"),
): Promise<Connection & { readonly secret: string }> {
  const connection = {
    connectionId,
    ...request,
    secret: newSigningSecret(),
    createdAt: actor.at,
    createdBy: actor.by,
  };
  return retry(async () => {
    const before = await connections.at(program.programId, request.port).get();
    const after = { ...connection, replaced: before && withReplaced(before) };
    const standard = defaultConnection(program.programId, request.port);
    const change = { action: "connection.create", subject: after, before: before ?? standard } as const;
    const isWritten = await write(program, { ...change, after }, before, after, actor);
    return isWritten ? after : new Conflict("connection");
  });
}

function withReplaced(before: Connection): ReplacedConnection[] {
  const { connectionId, adapter, secret } = before;
  const last =
    secret === undefined ? [] : [{ connectionId, adapter, secret, acceptedUntil: overlapEnd(now()) }];
  const replaced = [...last, ...stillAccepted(before)];
  if (replaced.length > maximumReplaced)
    throw limitReached(maximumReplaced, "replaced connections that still count", replaced.length - 1);
  return replaced;
}

/**
 * Refuses webhooks under a connection from now on. If it is the current one, the port has its
 * default again, and refuses those under earlier ones too. Returns the port's connection; undefined
 * if none has this id.
 */
export function disconnect(
  program: Program,
  connectionId: string,
  actor: Actor,
): Promise<Connection | undefined> {
  const { programId } = program;
  const isNamed = (one: { readonly connectionId: string }) => one.connectionId === connectionId;
  return retry(async () => {
    const connections = await readConnections(programId);
    const before = connections.find((one) => isNamed(one) || stillAccepted(one).some(isNamed));
    if (!before) return undefined;
    const { port, replaced } = before;
    const ended = replaced?.find(isNamed);
    const standard = defaultConnection(programId, port);
    if (before.connectionId === standard.connectionId) return standard;
    const after = ended ? { ...before, replaced: replaced?.filter((one) => one !== ended) } : standard;
    const subject = ended ? { ...ended, port } : before;
    const change = { action: "connection.delete", subject, before: subject, after } as const;
    const isWritten = await write(program, change, before, ended && after, actor);
    return isWritten ? after : new Conflict("connection");
  });
}

interface AuditedChange {
  readonly action: AuditAction;
  readonly subject: Pick<Connection, "connectionId">;
  readonly before: Connection;
  readonly after: Connection;
}

/** Requires the connection as read, since the audit log records it. */
async function write(
  program: Program,
  { action, subject, ...change }: AuditedChange,
  before: Connection | undefined,
  after: Connection | undefined,
  actor: Actor,
): Promise<boolean> {
  const { programId, tenantId } = program;
  const stored = connections.at(programId, change.before.port);
  const asRead = before ? { connectionId: before.connectionId, version: before.version } : isNew;
  const version = (before?.version ?? 0) + 1;
  const audited = { before: toAudited(change.before), after: toAudited(change.after) };
  const { committed } = await transact([
    programExists(tenantId, programId),
    after ? stored.put({ ...after, version }, asRead) : stored.delete(asRead),
    auditProgram(actor, program, action, audited, subject.connectionId),
  ]);
  return committed;
}

function toAudited({ connectionId, port, adapter, url }: Connection) {
  return { connectionId, port, adapter, ...(url !== undefined && { url }) };
}

const ports = ConnectionPort.options;

/** The connection of a Program that has stored none for the port. */
function defaultConnection(programId: string, port: ConnectionPort): Connection {
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
function stillAccepted({ replaced = [] }: Pick<Connection, "replaced">): ReplacedConnection[] {
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
