import * as z from "zod";
import type { ProgramSettings } from "../../contract/account-programs.ts";
import { deadlineReplace, defineDeadline } from "../../platform/deadlines.ts";
import type { WriteAction } from "../../platform/table/transact.ts";

/** Each day, all Cards of a Program are looked at. */
export const expiryWatch = defineDeadline(
  "renew_cards",
  "bulk",
  z.object({
    /** When the pass began. */
    begunAt: z.string(),
    /** Where it is, as JSON; empty as it begins. */
    place: z.string(),
  }),
);

export function watchesExpiry({ autoRenew, renewalReminder }: ProgramSettings): boolean {
  return autoRenew === true || renewalReminder === true;
}

/** The first pass is made as soon as a setting asks for it. Without one, the watch ends. */
export function expiryWatchWrites(
  programId: string,
  before: ProgramSettings | undefined,
  after: ProgramSettings,
  at: string,
): WriteAction[] {
  const isSame = before?.autoRenew === after.autoRenew && before?.renewalReminder === after.renewalReminder;
  if (isSame || !watchesExpiry(after)) return [];
  const deadline = { ownerId: programId, deadlineId: `expiry-watch:${programId}`, dueAt: new Date(at) };
  return [deadlineReplace(expiryWatch.at({ ...deadline, begunAt: at, place: "" }))];
}
