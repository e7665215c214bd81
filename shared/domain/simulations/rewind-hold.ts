import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import { timestamp } from "../../platform/clock.ts";
import type { Hold } from "../holds/hold.ts";
import type { HoldChange } from "./movement.ts";

const releases: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorization_reversal,
  TransactionType.authorizationexpiry,
  TransactionType.authorization_reversal_issuerexpiration,
]);

/** A hold as it was at `from`, before these transactions: all since then, the oldest first. */
export function rewindHold(hold: Hold, since: readonly HoldChange[], from: Date): Hold {
  const isReleased = hold.closedBy === "reversed" || hold.closedBy === "expired";
  const closing = isReleased ? since.findLast(({ transType }) => releases.has(transType)) : undefined;
  const before: { -readonly [Name in keyof Hold]: Hold[Name] } = {
    ...hold,
    // What was counted before counts no more, but says where the authorization was counted.
    counted: hold.counted?.filter(({ at }) => at < from.getTime()),
    reservations: undefined,
    totals: undefined,
  };
  if (closing || isSettledSince(hold, since, from)) {
    before.closedBy = undefined;
    before.closedAt = undefined;
  }
  for (const record of since) {
    const { transType, transStatus, amountMinor, releasedMinor = 0, event } = record;
    const kind = event?.kind ?? "authorization";
    if (transType === TransactionType.pindebit_reversal) before.clearedMinor += amountMinor;
    else if (transType === TransactionType.pindebit_atm_withdrawal) {
      before.clearedMinor -= amountMinor;
      for (const name of ["withdrawal", "closedBy", "closedAt", "decided"] as const) before[name] = undefined;
    } else if (transStatus === TransactionStatus.declined) {
      if (kind === "authorization") before.decided = undefined;
    } else if (transType === TransactionType.authorization_clearing) {
      before.clearedMinor -= amountMinor;
      if (event?.final === false) before.releasedMinor -= amountMinor;
    } else if (releases.has(transType)) {
      // A total of an advice has lowered what is authorized; that of a reversal is in `totals`.
      if (event?.total) before.authorizedMinor += kind === "authorization_advice" ? releasedMinor : 0;
      else if (record !== closing) before.releasedMinor -= event?.amount ?? releasedMinor;
    } else {
      before.authorizedMinor -= amountMinor;
      if (transType === TransactionType.authorization) before.decided = undefined;
    }
  }
  return before;
}

/** Without `closedAt`, a clearing that released something has finished it. */
function isSettledSince({ closedBy, closedAt }: Hold, since: readonly HoldChange[], from: Date): boolean {
  if (closedBy !== "cleared") return false;
  if (closedAt !== undefined) return closedAt >= timestamp(from);
  return since.some(
    ({ transType, releasedMinor = 0, event }) =>
      transType === TransactionType.authorization_clearing && event?.final !== false && releasedMinor > 0,
  );
}
