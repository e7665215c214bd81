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
    const changedMinor = cashMinor(record);
    if (changedMinor !== undefined) {
      before.clearedMinor -= changedMinor;
      before.withdrawal &&= { ...before.withdrawal, isCleared: undefined, isFeeReversed: undefined };
    } else if (transType === TransactionType.pindebit_atm_withdrawal) {
      before.clearedMinor -= amountMinor;
      before.withdrawal = undefined;
      if (!event?.advice) before.decided = undefined;
      // After its clearing, it posts a fee alone.
      if (amountMinor > 0) before.closedBy = before.closedAt = undefined;
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

/** How a transaction changed the cash of a withdrawal that was posted before. */
function cashMinor({ transType, amountMinor }: HoldChange): number | undefined {
  if (transType === TransactionType.pindebit_authorization_clearing) return amountMinor;
  return transType === TransactionType.pindebit_reversal ? -amountMinor : undefined;
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
