import { isNew } from "../../shared/platform/table/condition.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { requireCommitted } from "../../shared/tenancy/administration/command-rejected.ts";
import { type Actor, auditPut } from "../../shared/tenancy/audit-log.ts";
import { type Suspensions, suspensions, tenantExists } from "../../shared/tenancy/tenant.ts";
import { type Command, requireProgram } from "./command.ts";

/**
 * Applies from the next request on, also to the Tenant's Programs. A second suspension changes
 * nothing.
 */
export const suspendTenant: Command<"suspend-tenant"> = async ({ tenantId, reason }, actor) => {
  const suspendedAt = await change({ tenantId, suspend: true, reason }, actor);
  return { tenantId, suspendedAt: suspendedAt ?? actor.at };
};

/** Programs that are suspended themselves stay suspended. */
export const resumeTenant: Command<"resume-tenant"> = async ({ tenantId, reason }, actor) => {
  await change({ tenantId, suspend: false, reason }, actor);
  return { tenantId };
};

/**
 * Applies from the next request with a key of the Program on. A second suspension changes nothing.
 */
export const suspendProgram: Command<"suspend-program"> = async ({ programId, reason }, actor) => {
  const { tenantId } = await requireProgram(programId);
  const suspendedAt = await change({ tenantId, programId, suspend: true, reason }, actor);
  return { programId, suspendedAt: suspendedAt ?? actor.at };
};

export const resumeProgram: Command<"resume-program"> = async ({ programId, reason }, actor) => {
  const { tenantId } = await requireProgram(programId);
  await change({ tenantId, programId, suspend: false, reason }, actor);
  return { programId };
};

interface SuspensionChange {
  readonly tenantId: string;
  /** Absent for the whole Tenant. */
  readonly programId?: string;
  readonly suspend: boolean;
  readonly reason: string | undefined;
}

/**
 * Retries when another command changed the suspensions.
 * @returns since when it is suspended
 * @throws CommandRejected if the Tenant does not exist
 */
async function change(wanted: SuspensionChange, actor: Actor): Promise<string | undefined> {
  const { tenantId, suspend } = wanted;
  const item = suspensions.at(tenantId);
  return retry(async () => {
    const found = (await item.get()) ?? { tenantId, version: 0, programs: {} };
    const since = suspendedSince(found, wanted);
    if ((since !== undefined) === suspend) {
      if (found.version === 0) requireCommitted(await transact([tenantExists(tenantId)]));
      return since;
    }
    const changed = withChange(found, wanted, actor.at);
    const write = item.put(changed, found.version === 0 ? isNew : { version: found.version });
    const outcome = await transact([tenantExists(tenantId), write, audit(wanted, since, actor)]);
    if (outcome.committed) return suspendedSince(changed, wanted);
    if (!outcome.failedConditions.has(write.name)) requireCommitted(outcome);
    return new Conflict(write.name);
  });
}

function suspendedSince({ tenantAt, programs }: Suspensions, { programId }: SuspensionChange) {
  return programId === undefined ? tenantAt : programs[programId];
}

function withChange({ tenantAt, programs, ...found }: Suspensions, wanted: SuspensionChange, at: string) {
  const { programId, suspend } = wanted;
  const version = found.version + 1;
  if (programId === undefined) return { ...found, version, programs, ...(suspend && { tenantAt: at }) };
  const { [programId]: _, ...others } = programs;
  return {
    ...found,
    version,
    ...(tenantAt !== undefined && { tenantAt }),
    programs: { ...others, ...(suspend && { [programId]: at }) },
  };
}

function audit(
  { tenantId, programId, suspend, reason }: SuspensionChange,
  since: string | undefined,
  actor: Actor,
): WriteAction {
  const subject = programId === undefined ? "tenant" : "program";
  return auditPut(actor, {
    tenantId,
    programId,
    action: `${subject}.${suspend ? "suspend" : "resume"}`,
    subjectId: programId ?? tenantId,
    before: { suspendedAt: since ?? null },
    after: { suspendedAt: suspend ? actor.at : null, ...(reason && { reason }) },
  });
}
