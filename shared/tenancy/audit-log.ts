import * as z from "zod";
import type { AuditEntryView } from "../contract/account-access.ts";
import { id } from "../contract/primitives.ts";
import { timestamp } from "../platform/clock.ts";
import { newId } from "../platform/id.ts";
import { defineEntity } from "../platform/table/entity.ts";
import type { WriteAction } from "../platform/table/transact.ts";

export interface Actor {
  /** ISO 8601 UTC. */
  readonly at: string;
  /**
   * The API user's id, or `operator:` and the ARN of who gave a command of platform administration.
   */
  readonly by: string;
  readonly requestId: string;
}

export function toActor(request: {
  readonly scope: { readonly apiUserId: string };
  readonly requestId: string;
}): Actor {
  return { at: timestamp(), by: request.scope.apiUserId, requestId: request.requestId };
}

/** What was changed, and how. */
export type AuditAction =
  | `tenant.${"create" | "suspend" | "resume"}`
  | `program.${"create" | "suspend" | "resume"}`
  | `program.${"settings" | "rate-limits" | "funding-limits"}.update`
  | `connection.${"create" | "delete" | "request"}`
  | `bank-account.${"request" | "release"}`
  | `request.${"withdraw" | "reject"}`
  | `card-design.${"submit" | "resubmit" | "approve" | "reject"}`
  | `api-user.${"create" | "update" | "rotate" | "revoke"}`
  | `ip-allowlist.${"add" | "remove"}`
  | `certificate.${"register" | "revoke"}`
  | "notification-settings.update"
  | `ticket.${"create" | "comment" | "reopen" | "resolve"}`
  | `cardholder.${"refuse" | "block" | "unblock"}`
  | "deposit.cancel"
  | `suspense.${"assign" | "drop" | "return"}`
  | `authority.${"trust" | "issue" | "remove"}`
  | `dead-letter.${"discard" | "redrive"}`
  | `card.${"approve" | "decline" | "block" | "unblock" | "funding"}`
  /** A device was shown a Card's number and code. */
  | "reveal"
  /** The vault rejected the device's key, or one reveal more in this minute. */
  | "reveal.reject"
  /** A wallet was given a Card's number, encrypted for it. */
  | "push-provisioning"
  /** The vault knows no such wallet, or it was one reveal more in this minute. */
  | "push-provisioning.reject"
  | "production.export"
  /** A plastic of a Card: its replacement, its renewal, its activation. */
  | "replace"
  | "renew"
  | "activate"
  | `control.${"create" | "update" | "activate" | "delete"}`
  | `external-account.${"create" | "delete" | "verify" | "confirm"}`
  | `authorization-endpoint.${"put" | "rotate-secret" | "delete"}`
  /** The Program has decided a challenge. */
  | "authentication.decide"
  | `${"authentication" | "token"}-rules.put`
  | "payments.send"
  | `mandate.${"create" | "cancel"}`
  | `pull.${"create" | "cancel"}`
  | `payout.${"create" | "cancel" | "approve" | "decline"}`
  | `token.${"suspend" | "resume" | "delete" | "verify"}`
  | `top-up.${"put" | "delete"}`;

/** `before` and `after` contain no secrets. */
export interface AuditedAction {
  /** Undefined for the platform's own audit log. */
  readonly tenantId: string | undefined;
  readonly programId?: string | undefined;
  readonly action: AuditAction;
  readonly subjectId: string;
  /** Null for a new resource. */
  readonly before: Record<string, unknown> | null;
  readonly after: Record<string, unknown> | null;
}

/** An entry of the audit log as it is stored. Nothing ever changes one. */
const AuditEntry = z.object({
  auditId: id("audit"),
  /** Absent in the platform's own audit log. */
  tenantId: id("tenant").optional(),
  programId: id("program").optional(),
  action: z.string(),
  actor: z.string(),
  subjectId: z.string(),
  requestId: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  createdAt: z.string(),
});

export const auditEntries = defineEntity({
  name: "audit",
  table: "accounts",
  schema: AuditEntry,
  key: (owner: string, auditId: string) => ({ pk: `${owner}#AUDIT`, sk: `AUDIT#${auditId}` }),
});

/** The change's entry in the audit log: part of the transaction that makes the change. */
export function auditPut(actor: Actor, change: AuditedAction): WriteAction {
  const auditId = newId("audit");
  const { by: actorId, requestId, at: createdAt } = actor;
  return auditEntries
    .at(change.tenantId ?? "PLATFORM", auditId)
    .create({ auditId, ...change, actor: actorId, requestId, createdAt });
}

type Changed = Pick<AuditedAction, "before" | "after">;

/** The entry of a change of a Program, or of something that is its. */
export function auditProgram(
  actor: Actor,
  { tenantId, programId }: { readonly tenantId: string; readonly programId: string },
  action: AuditAction,
  { before, after }: Changed,
  subjectId = programId,
): WriteAction {
  return auditPut(actor, { tenantId, programId, action, subjectId, before, after });
}

export interface AuditedRequest {
  readonly scope: { readonly tenantId: string; readonly programId: string; readonly apiUserId: string };
  readonly requestId: string;
}

/** The entry of a request about something of its Program. */
export function auditRequest(
  request: AuditedRequest,
  action: AuditAction,
  subjectId: string,
  change: Changed,
): WriteAction {
  return auditProgram(toActor(request), request.scope, action, change, subjectId);
}

export function toAuditEntryView(item: unknown): AuditEntryView {
  const { createdAt: dateCreated, tenantId: _, ...entry } = AuditEntry.parse(item);
  return { ...entry, dateCreated };
}
