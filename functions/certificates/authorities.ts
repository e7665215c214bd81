import * as z from "zod";
import { type AuthorityStatus, authorityStatus } from "../../shared/contract/authority.ts";
import { timestamp } from "../../shared/contract/primitives.ts";
import { isNew } from "../../shared/platform/table/condition.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { TransitionTable } from "../../shared/platform/table/transition.ts";
import { type Actor, type AuditAction, auditPut } from "../../shared/tenancy/audit-log.ts";

/** A certificate authority of the environment. KMS alone has its private key. */
export const Authority = z.object({
  name: z.string(),
  keyArn: z.string(),
  certificatePem: z.string(),
  status: authorityStatus,
  notAfter: timestamp,
  createdAt: timestamp,
  createdBy: z.string(),
  /** When another CA took over; absent for one that issues or never did. */
  supersededAt: timestamp.optional(),
});
export type Authority = z.output<typeof Authority>;

const Authorities = z.object({ version: z.int(), authorities: z.array(Authority) });
type Authorities = z.output<typeof Authorities>;

/** One item, so that exactly one CA issues. */
const authorityList = defineEntity({
  name: "authorities",
  table: "accounts",
  schema: Authorities,
  key: () => ({ pk: "AUTHORITIES", sk: "AUTHORITIES" }),
});

/** Every CA, removed ones included, in the order of creation. One consistent read. */
export async function readAuthorities(): Promise<Authority[]> {
  return (await read()).authorities;
}

/** @throws Error without one: the deployment creates the first CA */
export async function getIssuingAuthority(): Promise<Authority> {
  const authority = (await readAuthorities()).find(({ status }) => status === "issuing");
  if (!authority) throw new Error("The environment has no certificate authority that issues.");
  return authority;
}

interface AuditedChange {
  readonly action: Extract<AuditAction, `authority.${string}`>;
  /** The CA's name. */
  readonly name: string;
  readonly actor: Actor;
}

/**
 * Writes what `change` returns, with an audit entry; nothing if it returns its argument. Retries,
 * and calls `change` again, when another change came first.
 */
export function changeAuthorities(
  audited: AuditedChange,
  change: (authorities: Authority[]) => Promise<Authority[]> | Authority[],
): Promise<Authority[]> {
  return retry(async () => {
    const found = await read();
    const changed = await change(found.authorities);
    const isDone = changed === found.authorities || (await writeAuthorities(changed, found, audited));
    return isDone ? changed : new Conflict("authorities");
  });
}

async function read(): Promise<Authorities> {
  return (await authorityList.at().get()) ?? { version: 0, authorities: [] };
}

async function writeAuthorities(
  authorities: Authority[],
  { version, authorities: before }: Authorities,
  { action, name: subjectId, actor }: AuditedChange,
): Promise<boolean> {
  const isAsRead = version === 0 ? isNew : { version };
  const change = { before: toStatuses(before), after: toStatuses(authorities) };
  const { committed } = await transact([
    authorityList.at().put({ version: version + 1, authorities }, isAsRead),
    auditPut(actor, { tenantId: undefined, action, subjectId, ...change }),
  ]);
  return committed;
}

function toStatuses(authorities: readonly Authority[]) {
  return Object.fromEntries(authorities.map(({ name, status }) => [name, status]));
}

/** `trust` undoes a removal; `supersede` means that another CA issues. */
export type AuthorityTrigger = "trust" | "issue" | "supersede" | "remove";

/** Every legal status change. The first CA starts as issuing, every other one as trusted. */
export const authorityTransitions = [
  { from: "removed", trigger: "trust", to: "trusted" },
  { from: "trusted", trigger: "issue", to: "issuing" },
  { from: "issuing", trigger: "supersede", to: "trusted" },
  { from: "trusted", trigger: "remove", to: "removed" },
] as const satisfies TransitionTable<AuthorityStatus, AuthorityTrigger>;
