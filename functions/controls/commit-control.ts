import { isDeepStrictEqual } from "node:util";
import {
  type Control,
  controlCreate,
  controlDelete,
  controlPut,
  toActiveControl,
  toControlView,
} from "../../shared/controls/control.ts";
import { type ActiveControl, leaseMs, type ProgramRulebook } from "../../shared/controls/rulebooks.ts";
import { now, pause, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { ProgramScope } from "../../shared/platform/http/request.ts";
import { Conflict, retryDecision } from "../../shared/platform/table/retry.ts";
import { transact, type WriteAction } from "../../shared/platform/table/transact.ts";
import { withinTime } from "../../shared/platform/time-budget.ts";
import { type Actor, type AuditAction, auditPut } from "../../shared/tenancy/audit-log.ts";
import {
  changeRulebooks,
  exceedsLimit,
  outdatesLeases,
  readRulebooks,
  rulebookPuts,
} from "./change-rulebooks.ts";

interface Decided<After> {
  /** As it was read; absent for a new one. */
  readonly before?: Control;
  /** Undefined to delete it. */
  readonly after: After;
}

interface ControlChange<After> {
  readonly scope: ProgramScope;
  readonly actor: Actor;
  readonly action: AuditAction;
  readonly decide: () => Promise<Decided<After>>;
}

/** With the wait below, it ends before Lambda's timeout of 10 s. */
const retriedMs = 4_000;
/** A change is in force when every lease from before it has ended. */
export const inForceMs = leaseMs + 100;
/** How long after the plan of another change its leases may last: it had this long to commit. */
const othersInForceMs = retriedMs + inForceMs;

/**
 * Changes a control and the rulebook that has it. Decides again after another change of either.
 * When it returns, every process obeys the change.
 * @throws ApiError LIMIT_REACHED
 * @throws ContendedError
 */
export async function changeControl<After extends Control | undefined>({
  scope,
  actor,
  action,
  decide,
}: ControlChange<After>): Promise<After> {
  const { tenantId, programId } = scope;
  const attempt = async () => {
    const { before, after: decided } = await decide();
    const { after, ...rulebooks } = await planChange(programId, before, decided);
    const outcome = await transact([
      controlWrite(programId, before, after),
      ...rulebooks.puts,
      auditPut(actor, {
        ...{ tenantId, programId, action },
        subjectId: (before ?? (after as Control)).entityId,
        before: before ? toControlView(before) : null,
        after: after ? toControlView(after) : null,
      }),
    ]);
    if (!outcome.committed) return new Conflict(...outcome.failedConditions.keys());
    return { after, mustWait: rulebooks.mustWait };
  };
  return (await putInForce(attempt)).after;
}

/**
 * Retries a change of rulebooks. If it must wait, returns when every process obeys the change.
 * @throws ContendedError
 */
export async function putInForce<Done extends { readonly mustWait: boolean }>(
  attempt: () => Promise<Done | Conflict>,
): Promise<Done> {
  const done = await withinTime(retriedMs, () => retryDecision(attempt));
  if (done.mustWait) await pause(inForceMs);
  return done;
}

function controlWrite(
  programId: string,
  before: Control | undefined,
  after: Control | undefined,
): WriteAction {
  if (!before) return controlCreate(programId, after as Control);
  return after ? controlPut(programId, before, after) : controlDelete(programId, before);
}

/**
 * What a process may not know yet counts from when all do.
 * @throws ApiError LIMIT_REACHED
 */
async function planChange<After extends Control | undefined>(
  programId: string,
  before: Control | undefined,
  after: After,
) {
  const plan = await planRulebooks(programId, before, after);
  const isActivated = after?.activatedAt !== undefined && before?.activatedAt === undefined;
  if (!plan.outdatesLeases || !isActivated) return { ...plan, after };
  const activatedAt = timestamp(new Date(now().getTime() + inForceMs));
  const later = { ...after, activatedAt };
  return { ...(await planRulebooks(programId, before, later)), after: later };
}

/** @throws ApiError LIMIT_REACHED */
async function planRulebooks(programId: string, before: Control | undefined, after: Control | undefined) {
  const [old, current] = [toActiveControl(before), toActiveControl(after)];
  if (!old && !current) return { puts: [], outdatesLeases: false, mustWait: false };
  const owner = before ?? (after as Control);
  const read = await readRulebooks(programId, owner);
  const mayBeUnknown = isRecent(read.program);
  if (isDeepStrictEqual(old, current)) return { puts: [], outdatesLeases: false, mustWait: mayBeUnknown };
  const changed = changeRulebooks(read, owner, (controls) => replaceActive(controls, old, current));
  if (!old && exceedsLimit(changed)) throw new ApiError("LIMIT_REACHED");
  const isOutdating = outdatesLeases(read, changed);
  const program = isOutdating ? { ...changed.program, outdatedAt: timestamp() } : changed.program;
  return {
    puts: rulebookPuts(programId, owner, read, { ...changed, program }),
    outdatesLeases: isOutdating,
    mustWait: isOutdating || mayBeUnknown,
  };
}

/** Whether a process may not know the last change of another request yet. */
function isRecent({ outdatedAt }: ProgramRulebook): boolean {
  return outdatedAt !== undefined && now().getTime() - Date.parse(outdatedAt) < othersInForceMs;
}

function replaceActive(
  controls: readonly ActiveControl[],
  old: ActiveControl | undefined,
  current: ActiveControl | undefined,
): ActiveControl[] {
  if (!old) return current ? [...controls, current] : [...controls];
  return controls.flatMap((one) => {
    if (one.controlId !== old.controlId) return [one];
    return current ? [current] : [];
  });
}
