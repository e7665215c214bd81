import * as z from "zod";
import { ConnectionAdapter } from "../contract/connections.ts";
import { RequestSubject } from "../contract/operator-requests.ts";
import { id, timestamp } from "../contract/primitives.ts";
import { defineEntity } from "../platform/table/entity.ts";
import { transact, type WriteAction } from "../platform/table/transact.ts";
import { type Actor, type AuditAction, auditPut } from "./audit-log.ts";

/**
 * A collecting account or a connection that a Tenant has asked for: who has one makes money. It
 * takes effect when the operator approves it. A Program has one request of each subject at most.
 */
const TenantRequest = z.object({
  programId: id("program"),
  tenantId: id("tenant"),
  subject: RequestSubject,
  bankAccount: z.string().optional(),
  connectionId: id("connection").optional(),
  adapter: ConnectionAdapter.optional(),
  url: z.string().optional(),
  requestedAt: timestamp,
});
export type TenantRequest = Readonly<z.output<typeof TenantRequest>>;

export const requests = defineEntity({
  name: "request",
  table: "accounts",
  schema: TenantRequest,
  key: (programId: string, subject: RequestSubject) => ({
    pk: "DESK#REQUESTS",
    sk: `${programId}#${subject}`,
  }),
});

/** It takes the place of an earlier one of the same subject. */
export async function makeRequest(
  asked: Omit<TenantRequest, "requestedAt">,
  action: AuditAction,
  actor: Actor,
  condition: WriteAction,
): Promise<TenantRequest> {
  const request = { ...asked, requestedAt: actor.at };
  await transact([
    condition,
    requests.at(request.programId, request.subject).put(request),
    audited(request, action, null, toAudited(request), actor),
  ]);
  return request;
}

/** Without an effect. False if it was decided or replaced meanwhile. */
export async function dropRequest(
  request: TenantRequest,
  action: "request.withdraw" | "request.reject",
  actor: Actor,
  reason?: string,
): Promise<boolean> {
  const { committed } = await transact([
    doneWith(request),
    audited(request, action, toAudited(request), reason === undefined ? null : { reason }, actor),
  ]);
  return committed;
}

/** Deletes it, unless another one has replaced it. */
export function doneWith({ programId, subject, requestedAt }: TenantRequest): WriteAction {
  return requests.at(programId, subject).delete({ requestedAt });
}

function audited(
  { tenantId, programId, subject, connectionId }: TenantRequest,
  action: AuditAction,
  before: Record<string, unknown> | null,
  after: Record<string, unknown> | null,
  actor: Actor,
): WriteAction {
  const subjectId = connectionId ?? `${programId}/${subject}`;
  return auditPut(actor, { tenantId, programId, action, subjectId, before, after });
}

function toAudited({ programId: _, tenantId: __, requestedAt: ___, ...asked }: TenantRequest) {
  return asked;
}
