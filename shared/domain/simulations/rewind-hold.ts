import { TransactionStatus, TransactionType } from "../../contract/enums.ts";
import type { Hold } from "../holds/hold.ts";
import type { HoldChange } from "./movement.ts";

const expiries: ReadonlySet<TransactionType> = new Set([
  TransactionType.authorizationexpiry,
  TransactionType.authorization_reversal_issuerexpiration,
]);

/** A hold as it was before these transactions: all since then, the oldest first. */
export function rewindHold(hold: Hold, since: readonly HoldChange[]): Hold {
  const closing = since.findLast(
    ({ transType }) => transType === TransactionType.authorization_reversal || expiries.has(transType),
  );
  const before: { -readonly [Name in keyof Hold]: Hold[Name] } = {
    ...hold,
    counted: undefined,
    reservations: undefined,
  };
  for (const record of since) {
    const { transType, transStatus, amountMinor, releasedMinor = 0, event } = record;
    const kind = event?.kind ?? "authorization";
    if (transStatus === TransactionStatus.declined) {
      if (kind === "authorization") before.decided = undefined;
    } else if (transType === TransactionType.authorization_clearing) {
      before.clearedMinor -= amountMinor;
      if (event?.final === false) before.releasedMinor -= amountMinor;
      else if (hold.closedBy === "cleared" && releasedMinor > 0) before.closedBy = undefined;
    } else if (transType === TransactionType.authorization_reversal || expiries.has(transType)) {
      const isClosing = record === closing && (hold.closedBy === "reversed" || hold.closedBy === "expired");
      if (isClosing) before.closedBy = undefined;
      else before.releasedMinor -= event?.amount ?? releasedMinor;
    } else {
      before.authorizedMinor -= amountMinor;
      if (transType === TransactionType.authorization) before.decided = undefined;
    }
  }
  return before;
}
