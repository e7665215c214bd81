import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { AuditAction } from "../../../shared/tenancy/audit-log.ts";
import { scan } from "../audit/scan.ts";

const Entry = z.object({
  auditId: z.string(),
  /** Absent for changes that belong to no Tenant. */
  tenantId: z.string().optional(),
  programId: z.string().optional(),
  action: z.string(),
  subjectId: z.string(),
  before: z.looseObject({ cidr: z.string().optional(), programId: z.string().optional() }).nullable(),
  after: z.looseObject({ role: z.string().optional(), operations: z.array(z.string()).optional() }).nullish(),
  createdAt: z.string(),
});
type Entry = z.output<typeof Entry>;

const reason = "Repeated after a restore.";

/** Commands that repeat a change of access or a block, by its audit action. */
const repetitions: Partial<Record<AuditAction, (entry: Entry) => readonly [command: string, input: object]>> =
  {
    "api-user.update": ({ tenantId, subjectId, after }) => [
      "change-api-key",
      { tenantId, apiUserId: subjectId, role: after?.role, operations: after?.operations },
    ],
    "api-user.revoke": ({ tenantId, subjectId }) => ["revoke-api-key", { tenantId, apiUserId: subjectId }],
    "certificate.revoke": ({ tenantId, subjectId }) => [
      "revoke-certificate",
      { tenantId, certificateId: subjectId },
    ],
    "ip-allowlist.remove": ({ tenantId, before }) => [
      "disallow-ip",
      { tenantId, programId: before?.programId, cidr: before?.cidr },
    ],
    "tenant.suspend": ({ tenantId }) => ["suspend-tenant", { tenantId, reason }],
    "tenant.resume": ({ tenantId }) => ["resume-tenant", { tenantId, reason }],
    "program.suspend": ({ subjectId }) => ["suspend-program", { programId: subjectId, reason }],
    // The gateway still has the later ones. Without tiers, the Program's own are set again.
    "program.rate-limits.update": ({ subjectId }) => ["set-rate-limits", { programId: subjectId }],
    "program.resume": ({ subjectId }) => ["resume-program", { programId: subjectId, reason }],
    "card.block": ({ programId, subjectId }) => ["block-card", { programId, cardId: subjectId, reason }],
    "card.unblock": ({ programId, subjectId }) => ["unblock-card", { programId, cardId: subjectId, reason }],
    "cardholder.block": ({ programId, subjectId }) => [
      "block-cardholder",
      { programId, cardholderId: subjectId, reason },
    ],
    "cardholder.unblock": ({ programId, subjectId }) => [
      "unblock-cardholder",
      { programId, cardholderId: subjectId, reason },
    ],
    "cardholder.refuse": ({ programId, subjectId }) => [
      "refuse-cardholder",
      { programId, cardholderId: subjectId },
    ],
  };

interface LostWindow {
  readonly client: DynamoDBDocumentClient;
  readonly former: string;
  readonly restored: string;
  readonly environment: string;
}

/** A change that a restore has undone. */
export interface LostChange {
  /** A shell line that repeats it, or a comment. */
  readonly line: string;
  /** The same as a command of the operator's. A person decides about others. */
  readonly operation?: { readonly command: string; readonly input: object };
}

/**
 * Returns changes that a restore has undone, oldest first. Replaced keys become comments: a person
 * decides whether the owner still needs one.
 */
export async function lostChanges({ client, former, restored, environment }: LostWindow) {
  const kept = new Set<string>();
  for await (const { auditId } of auditEntries(client, restored)) kept.add(auditId);
  const lost: Entry[] = [];
  for await (const entry of auditEntries(client, former)) if (!kept.has(entry.auditId)) lost.push(entry);
  return lost
    .toSorted((left, right) => (toPlace(left) < toPlace(right) ? -1 : 1))
    .flatMap((entry) => toChanges(entry, environment));
}

const toPlace = ({ createdAt, auditId }: Entry) => createdAt + auditId;

async function* auditEntries(client: DynamoDBDocumentClient, TableName: string): AsyncGenerator<Entry> {
  const items = scan(client, TableName, {
    FilterExpression: "begins_with(sk, :audit)",
    ExpressionAttributeValues: { ":audit": "AUDIT#" },
  });
  for await (const item of items) yield Entry.parse(item);
}

function toChanges(entry: Entry, environment: string): LostChange[] {
  const { action, tenantId, subjectId, createdAt } = entry;
  const run = (command: string, input: object) =>
    `npm run operator -- --environment ${environment} ${command} '${JSON.stringify(input)}'`;
  if (action === "api-user.rotate") {
    const revoke = run("revoke-api-key", { tenantId, apiUserId: subjectId });
    const said = `${createdAt}: a key was replaced; the replaced key is valid again`;
    return [{ line: `# ${said}. To revoke a leaked key: ${revoke}` }];
  }
  if (action.startsWith("authority.")) {
    const step = action.slice("authority.".length);
    const option = step === "remove" ? " --even-in-use" : "";
    return [{ line: `npm run authority -- --environment ${environment} ${step} ${subjectId}${option}` }];
  }
  const repetition = repetitions[action as AuditAction]?.(entry);
  if (repetition === undefined) return [];
  const [command, input] = repetition;
  return [{ line: run(command, input), operation: { command, input } }];
}

/** Which lines are repeated already. */
interface Repeated {
  isRepeated(line: string): boolean;
  repeat(line: string): void;
}

/**
 * Repeats each change that is a command of the operator's, in their order. Returns lines that a
 * person has to decide about, and with their reason those that were rejected.
 */
export async function repeatLostChanges(
  changes: readonly LostChange[],
  repeated: Repeated,
  run: (operation: NonNullable<LostChange["operation"]>) => Promise<void>,
): Promise<string[]> {
  const open: string[] = [];
  for (const { line, operation } of changes) {
    if (repeated.isRepeated(line)) continue;
    if (operation === undefined) {
      open.push(line);
      continue;
    }
    try {
      await run(operation);
      repeated.repeat(line);
    } catch (error) {
      open.push(`${line}   # ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  return open;
}
