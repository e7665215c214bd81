import { applyOutcome } from "../../shared/payments/apply-outcome.ts";
import { statusWrites } from "../../shared/payments/payment.ts";
import { type Pull, pulls, toPullView } from "../../shared/payments/pull.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { transact } from "../../shared/platform/table/transact.ts";

/**
 * What the bank says, however often and in whichever order. A pending pull is sent first.
 * @throws ApiError NOT_FOUND; ILLEGAL_TRANSITION if it was cancelled or declined
 */
export const reportPull: Operations["POST /pulls/{pullId}/outcome"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { pullId: paymentId } = path;
  const pull = pulls.at(programId, paymentId);
  const before = await pull.require();
  if (before.status === "pending") await send(before);
  const { status, reasonCode } = body;
  const outcome = await applyOutcome({ programId, paymentId, kind: "pull", status, reasonCode });
  if (outcome.result === "refused") throw new ApiError("ILLEGAL_TRANSITION");
  return toPullView(await pull.require());
};

/** Without a file. If it was sent or cancelled meanwhile, the outcome decides. */
async function send(before: Pull): Promise<void> {
  const at = now();
  const set = { status: "sent", sentAt: timestamp(at) } as const;
  const record = pulls.at(before.programId, before.paymentId).update({ set }, { status: "pending" });
  await transact(statusWrites(before, { ...before, ...set }, { by: "platform", at }, record));
}
