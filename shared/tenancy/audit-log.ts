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

export type AuditAction =
  | "tenant.create"
  | "tenant.suspend"
  | "tenant.resume"
  | "program.create"
  | "program.suspend"
  | "program.resume"
  | "program.settings.update"
  | "program.rate-limits.update"
  | "connection.create"
  | "connection.delete"
  | "connection.request"
  | "bank-account.request"
  | "bank-account.release"
  | "request.withdraw"
  | "request.reject"
  | "card-design.submit"
  | "card-design.resubmit"
  | "card-design.approve"
  | "card-design.reject"
  | "api-user.create"
  | "api-user.update"
  | "api-user.rotate"
  | "api-user.revoke"
  | "ip-allowlist.add"
  | "ip-allowlist.remove"
  | "certificate.register"
  | "certificate.revoke"
  | "notification-settings.update"
  | "ticket.create"
  | "ticket.comment"
  | "ticket.reopen"
  | "ticket.resolve"
  | "cardholder.refuse"
  | "deposit.cancel"
  | "card.funding"
  | "suspense.assign"
  | "suspense.drop"
  | "suspense.return"
  | "cardholder.block"
  | "cardholder.unblock"
  | "authority.trust"
  | "authority.issue"
  | "authority.remove"
  | "dead-letter.discard"
  | "dead-letter.redrive"
  | "card.approve"
  | "card.decline"
  | "card.block"
  | "card.unblock"
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
  | "control.create"
  | "control.update"
  | "control.activate"
  | "control.delete"
  | "external-account.create"
  | "external-account.delete"
  | "external-account.verify"
  | "external-account.confirm"
  | "authorization-endpoint.put"
  | "authorization-endpoint.rotate-secret"
  | "authorization-endpoint.delete"
  /** The Program has decided a challenge. */
  | "authentication.decide"
  | "authentication-rules.put"
  | "payments.send"
  | "mandate.create"
  | "mandate.cancel"
  | "pull.create"
  | "pull.cancel"
  | "payout.create"
  | "payout.cancel"
  | "payout.approve"
  | "payout.decline"
  | "program.funding-limits.update"
  | "token.suspend"
  | "token.resume"
  | "token.delete"
  | "token.verify"
  | "token-rules.put"
  | "top-up.put"
  | "top-up.delete";

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

export function toAuditEntryView(item: unknown): AuditEntryView {
  const { createdAt: dateCreated, tenantId: _, ...entry } = AuditEntry.parse(item);
  return { ...entry, dateCreated };
}
