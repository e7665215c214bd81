import type * as z from "zod";
import { ProgramSettings } from "./program-settings.ts";

const { cardBin: _, ...tenants } = ProgramSettings.shape;
const { issuanceApproval, clearingDelaySeconds, partialApproval, threeDSecure, feeSchedule } = tenants;

/** What a Tenant sees of a Program's settings: not what the platform decides on. */
export const ProgramSettingsView = ProgramSettings.omit({ cardBin: true });
export type ProgramSettingsView = z.output<typeof ProgramSettingsView>;

/** Any of the settings that a Tenant decides on; what is left out stays as it is. */
export const ProgramSettingsUpdate = ProgramSettingsView.extend({
  issuanceApproval: issuanceApproval.unwrap(),
  clearingDelaySeconds: clearingDelaySeconds.unwrap(),
  partialApproval: partialApproval.unwrap(),
  threeDSecure: threeDSecure.unwrap(),
  feeSchedule: feeSchedule.unwrap(),
}).partial();
export type ProgramSettingsUpdate = z.output<typeof ProgramSettingsUpdate>;
