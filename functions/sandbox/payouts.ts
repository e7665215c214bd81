import { applyOutcome } from "../../shared/payments/apply-outcome.ts";
import { makeFiles } from "../../shared/payments/make-files.ts";
import { sentWrites } from "../../shared/payments/payment.ts";
import { type Payout, payouts, toPayoutView } from "../../shared/payments/payout.ts";
import { now } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { getProgram } from "../../shared/tenancy/programs/program.ts";

/**
 * What the bank says, however often and in whichever order. A pending payout is sent first.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if it was never sent; VALIDATION_FAILED if more
 * would come back than was paid
 */
export const reportPayout: Operations["POST /payouts/{payoutId}/outcome"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { payoutId: paymentId } = path;
  const payout = payouts.at(programId, paymentId);
  const found = await payout.require();
  const { kind } = found;
  if (found.status === "pending") await send(found);
  const { status, amount: amountMinor, reasonCode } = body;
  const outcome = await applyOutcome({ programId, paymentId, kind, status, amountMinor, reasonCode });
  if (outcome.result === "refused" && outcome.reason === "AMOUNT_TOO_LARGE") {
    const message = "must not be more than the payout's amount";
    throw new ApiError("VALIDATION_FAILED", [{ path: "body.amount", code: "too_big", message }]);
  }
  if (outcome.result === "refused") throw new ApiError("ILLEGAL_TRANSITION");
  return toPayoutView(await payout.require());
};

/** One that was cancelled stays so. Without an account at a bank, there are no files. */
async function send(payout: Payout): Promise<void> {
  const { settings } = await getProgram(payout.programId);
  const { timeZone, bankAccount } = settings;
  if (bankAccount !== undefined) {
    await makeFiles(payout.programId);
    return;
  }
  await transact(sentWrites(payout, { fileId: newId("paymentFile"), at: now(), timeZone }));
}
