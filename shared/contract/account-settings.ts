import type * as z from "zod";
import { NewProgramSettings, ProgramSettings } from "./program-settings.ts";

/** What the platform decides on: the range of card numbers, and how long the simulated bank takes. */
const platformSettings = { cardBin: true, clearingDelaySeconds: true } as const;

/** What a Tenant sees of a Program's settings. The clearing delay is shown and not the Tenant's to change. */
export const ProgramSettingsView = ProgramSettings.omit({ cardBin: true });
export type ProgramSettingsView = z.output<typeof ProgramSettingsView>;

/** The settings that a Tenant may give a new Program. */
export const RequestedSettings = NewProgramSettings.omit(platformSettings);

const { issuanceApproval, partialApproval, threeDSecure, feeSchedule } = ProgramSettings.shape;

/** Any of the settings that a Tenant decides on; what is left out stays as it is. */
export const ProgramSettingsUpdate = ProgramSettings.omit(platformSettings)
  .extend({
    issuanceApproval: issuanceApproval.unwrap(),
    partialApproval: partialApproval.unwrap(),
    threeDSecure: threeDSecure.unwrap(),
    feeSchedule: feeSchedule.unwrap(),
  })
  .partial();
export type ProgramSettingsUpdate = z.output<typeof ProgramSettingsUpdate>;
