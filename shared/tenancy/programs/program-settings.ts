import { isDeepStrictEqual } from "node:util";
import type { ProgramSettings } from "../../contract/account-programs.ts";
import { ApiError } from "../../platform/http/api-error.ts";
import { Conflict, retry } from "../../platform/table/retry.ts";
import { transact } from "../../platform/table/transact.ts";
import { type Actor, auditPut } from "../audit-log.ts";
import { getProgramOf, type Program, programs, toSettingsView } from "./program.ts";

const path = "body.extendedPublicKeys";

type SettingsUpdate = Partial<ProgramSettings>;

/**
 * Requires the settings as read, since the audit log records them. Unchanged values are no change.
 * @throws ApiError NOT_FOUND; VALIDATION_FAILED for an extended public key that is invalid or another
 * Program's
 */
export function updateSettings(
  tenantId: string,
  programId: string,
  update: SettingsUpdate,
  actor: Actor,
): Promise<ProgramSettings> {
  return retry(async () => {
    const program = await getProgramOf(tenantId, programId);
    const settings: ProgramSettings = { ...program.settings, ...update };
    if (isDeepStrictEqual(settings, program.settings)) return settings;
    return (await isWritten(program, settings, update, actor)) ? settings : new Conflict("settings");
  });
}

async function isWritten(
  program: Program,
  settings: ProgramSettings,
  { extendedPublicKeys }: SettingsUpdate,
  actor: Actor,
): Promise<boolean> {
  const { programId, tenantId } = program;
  const keys = await import("./derivation-keys.ts");
  const faults = extendedPublicKeys ? keys.unfitKeys(extendedPublicKeys, path) : [];
  if (faults.length > 0) throw new ApiError("VALIDATION_FAILED", faults);
  const outcome = await transact([
    {
      ...programs.at(programId).update({ set: { settings } }, { settings: program.settings }),
      name: "settings",
    },
    ...(extendedPublicKeys ? keys.claimKeys(programId, extendedPublicKeys) : []),
    auditPut(
      {
        tenantId,
        programId,
        action: "program.settings.update",
        subjectId: programId,
        before: toSettingsView(program.settings),
        after: toSettingsView(settings),
      },
      actor,
    ),
  ]);
  if (outcome.committed) return true;
  const taken = keys.takenKeys(outcome.failedConditions, path);
  if (taken.length > 0) throw new ApiError("VALIDATION_FAILED", taken);
  return false;
}
