import type { ConnectionAdapter, ConnectionPort } from "../../contract/connections.ts";
import { newSigningSecret, overlapEnd } from "../../platform/callbacks/signature.ts";
import { now } from "../../platform/clock.ts";
import { limitReached } from "../../platform/http/api-error.ts";
import { newId } from "../../platform/id.ts";
import { isNew } from "../../platform/table/condition.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact } from "../../platform/table/transact.ts";
import { type Actor, type AuditAction, auditProgram } from "../audit-log.ts";
import type { Program } from "../programs/program.ts";
import { programExists } from "../programs/tenant-program.ts";
import { type Connection, connections, type ReplacedConnection } from "./connection.ts";
import { defaultConnection, readConnections, stillAccepted } from "./program-connections.ts";

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
