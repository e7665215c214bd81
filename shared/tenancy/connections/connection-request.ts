import type { ConnectionView } from "../../contract/connections.ts";
import { newId } from "../../platform/id.ts";
import { transact } from "../../platform/table/transact.ts";
import type { Actor } from "../audit-log.ts";
import type { Program } from "../programs/program.ts";
import { programExists } from "../programs/tenant-program.ts";
import { doneWith, makeRequest, requests, type TenantRequest } from "../requests.ts";
import type { Connection } from "./connection.ts";
import { type ConnectionRequest, connect, readConnections } from "./connection-change.ts";

type Asked = Pick<TenantRequest, "connectionId" | "adapter" | "url" | "requestedAt">;

/** It takes effect when the operator approves it. */
export async function requestConnection(
  { programId, tenantId }: Program,
  { port, ...asked }: ConnectionRequest,
  actor: Actor,
): Promise<Asked> {
  const request = { programId, tenantId, subject: port, connectionId: newId("connection"), ...asked };
  return makeRequest(request, "connection.request", actor, programExists(tenantId, programId));
}

/**
 * Connects as was asked for. Of a connection that is in force, id and secret are replaced: the
 * answer of its approval may be lost. Undefined if there is neither.
 */
export async function approveConnection(
  program: Program,
  connectionId: string,
  actor: Actor,
): Promise<(Connection & { readonly secret: string }) | undefined> {
  const { programId } = program;
  const isNamed = (one: { readonly connectionId?: string | undefined }) => one.connectionId === connectionId;
  const inForce = (await readConnections(programId)).find((one) => one.secret !== undefined && isNamed(one));
  const request = (await requests.list(programId)).find(isNamed);
  const asked = request ? toConnectionRequest(request) : inForce;
  if (asked === undefined) return undefined;
  const { port, adapter, url } = asked;
  const id = inForce ? undefined : connectionId;
  const connection = await connect(program, { port, adapter, url }, actor, id);
  if (request) await transact([doneWith(request)]);
  return connection;
}

function toConnectionRequest({ subject, adapter, url }: TenantRequest): ConnectionRequest | undefined {
  return subject === "bank_account" || adapter === undefined ? undefined : { port: subject, adapter, url };
}

export function toRequestedView(request: Asked | undefined): Pick<ConnectionView, "requested"> {
  if (request?.connectionId === undefined || request.adapter === undefined) return {};
  const { connectionId, adapter, url, requestedAt: dateRequested } = request;
  return { requested: { connectionId, adapter, url, dateRequested } };
}
