import type { FeeType } from "../../contract/enums.ts";
import type { ProgramSettings } from "../../contract/program-settings.ts";

/**
 * What the Program charges for it, in minor units: the fixed amount and the share of what was moved, rounded to the nearest minor unit. 0 where
 * the schedule does not name it.
 */
export function scheduledFeeMinor(
  { feeSchedule }: Pick<ProgramSettings, "feeSchedule">,
  feeType: FeeType,
  movedMinor = 0,
): number {
  const charge = feeSchedule.find((one) => one.feeType === feeType);
  return charge ? charge.amount + Math.round((movedMinor * charge.basisPoints) / 10_000) : 0;
}
