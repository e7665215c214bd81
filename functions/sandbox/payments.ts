import { applyOutcome } from "../../shared/payments/apply-outcome.ts";
import { makeFiles } from "../../shared/payments/make-files.ts";
import { type Payment, sentWrites } from "../../shared/payments/payment.ts";
import { readXml } from "../../shared/payments/payment-file.ts";
import { toPayoutView } from "../../shared/payments/payout.ts";
import { requirePayout } from "../../shared/payments/payout-request.ts";
import { toPullView } from "../../shared/payments/pull.ts";
import { requirePull } from "../../shared/payments/pull-step.ts";
import { now } from "../../shared/platform/clock.ts";
import { invalid, statusError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
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
  const payout = await requirePayout(programId, paymentId);
  const { kind } = payout;
  const { status, amount: amountMinor, reasonCode } = body;
  if (status === "returned" && (amountMinor ?? 0) > payout.amountMinor)
    throw invalid("body.amount", "too_big", "must not be more than the payout's amount");
  await sendFirst(payout);
  const outcome = await applyOutcome({ programId, paymentId, kind, status, amountMinor, reasonCode });
  if (outcome.result === "refused") throw statusError(payout.status, []);
  return toPayoutView(await requirePayout(programId, paymentId));
};

/**
 * What the bank says, however often and in whichever order. A pending pull is sent first.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if it was cancelled or declined; VALIDATION_FAILED
 * for another amount than the pull's
 */
export const reportPull: Operations["POST /pulls/{pullId}/outcome"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { pullId: paymentId } = path;
  const pull = await requirePull(programId, paymentId);
  const { status, amount = pull.amountMinor, reasonCode } = body;
  if (amount !== pull.amountMinor) throw invalid("body.amount", "other_amount", "must be the pull's amount");
  await sendFirst(pull);
  const outcome = await applyOutcome({ programId, paymentId, kind: "pull", status, reasonCode });
  if (outcome.result === "refused") throw statusError(pull.status, []);
  return toPullView(await requirePull(programId, paymentId));
};

/**
 * A pending one is sent before the bank says anything of it. One that was cancelled stays so.
 * Without an account at a bank there are no files: it is in none.
 */
async function sendFirst(payment: Payment): Promise<void> {
  if (payment.status !== "pending") return;
  const { settings } = await getProgram(payment.programId);
  const { timeZone, bankAccount } = settings;
  if (bankAccount !== undefined) {
    await makeFiles(payment.programId);
    return;
  }
  await transact(sentWrites(payment, { at: now(), timeZone }));
}

/** An answer has at most 6 MB: of all files together, so many characters. */
const mostXml = 4_000_000;

/** What is pending, as the bank gets it. Without anything pending, there is no file. */
export const makePaymentFiles: Operations["POST /payment-files"] = async ({ scope: { programId } }) => {
  const files = [];
  let left = mostXml;
  for (const { fileId, kind, count, sumMinor: sum } of await makeFiles(programId)) {
    const read = await readXml(fileId);
    const xml = read?.next === undefined && (read?.xml.length ?? 0) <= left ? read?.xml : undefined;
    left -= xml?.length ?? 0;
    files.push({ fileId, kind, count, sum, ...(xml !== undefined && { xml }) });
  }
  return { files };
};
