import type { ProgramSettings } from "../../contract/account-programs.ts";
import type { FeeType } from "../../contract/enums.ts";

/**
 * Minor units: fixed amount plus share of the moved amount, rounded to the nearest unit. 0 if the
 * schedule does not name the fee.
 */
export function scheduledFeeMinor(
  { feeSchedule }: Pick<ProgramSettings, "feeSchedule">,
  feeType: FeeType,
  movedMinor = 0,
): number {
  const charge = feeSchedule.find((one) => one.feeType === feeType);
  return charge ? charge.amount + Math.round((movedMinor * charge.basisPoints) / 10_000) : 0;
}
