import { CardStatus, DestinationType, TransferStatus } from "../../shared/contract/enums.ts";
import type { TransferCreate, TransferDeclineReason } from "../../shared/contract/wallets.ts";
import type { StoredAccount } from "../../shared/domain/ledger/account.ts";
import type { AccountRequirements } from "../../shared/domain/ledger/account-change.ts";
import type { StoredItem } from "../../shared/platform/table/transact.ts";

/** What is to become of a transfer, as far as is known; `source` and `destination` must hold when it is committed. */
export interface TransferDecision {
  readonly transStatus: TransferStatus;
  readonly amountMinor: number;
  readonly declineReason?: TransferDeclineReason;
  readonly source: AccountRequirements;
  readonly destination: AccountRequirements;
}

const acceptingStatuses: readonly CardStatus[] = [CardStatus.active, CardStatus.onHold];

const declineReasonOf: Partial<Record<CardStatus, TransferDeclineReason>> = {
  [CardStatus.pending]: "CARD_PENDING",
  [CardStatus.closed]: "CARD_CLOSED",
  [CardStatus.notActivated]: "CARD_NOT_ACTIVATED",
};

/** The whole amount is transferred if the Wallet can pay it: tried first, without having looked. */
export function approve(request: TransferCreate): TransferDecision {
  return {
    transStatus: TransferStatus.approved,
    amountMinor: request.amount,
    source: { availableAtLeastMinor: request.amount },
    destination: accepting(request),
  };
}

/**
 * Decides again from what stood in the way of the last decision: `not_found` where an account does not exist, else
 * approved, partial or declined on the condition that what was seen still holds, so that a race decides once more.
 */
export function decideAgain(
  request: TransferCreate,
  failedConditions: ReadonlyMap<string, StoredItem>,
): TransferDecision | "not_found" {
  const source = failedConditions.get("source") as StoredAccount | undefined;
  const destination = failedConditions.get("destination") as StoredAccount | undefined;
  if (failedConditions.has("source") && !source) return "not_found";
  if (failedConditions.has("destination") && !destination) return "not_found";

  const cardStatus = destination?.issuerCardStatus;
  const declineReason = cardStatus === undefined ? undefined : declineReasonOf[cardStatus];
  if (cardStatus !== undefined && declineReason) {
    return declined(declineReason, {}, { issuerCardStatusIn: [cardStatus] });
  }
  if (!source || source.availableMinor >= request.amount) return approve(request);
  if (!request.allowPartial) {
    return declined("INSUFFICIENT_FUNDS", { availableBelowMinor: request.amount }, accepting(request));
  }
  if (source.availableMinor <= 0) {
    return declined("INSUFFICIENT_FUNDS", { availableBelowMinor: 1 }, accepting(request));
  }
  return {
    transStatus: TransferStatus.partial,
    amountMinor: source.availableMinor,
    source: { balances: { availableMinor: source.availableMinor } },
    destination: accepting(request),
  };
}

function accepting({ destinationType }: TransferCreate): AccountRequirements {
  return destinationType === DestinationType.card ? { issuerCardStatusIn: acceptingStatuses } : {};
}

function declined(
  declineReason: TransferDeclineReason,
  source: AccountRequirements,
  destination: AccountRequirements,
): TransferDecision {
  return { transStatus: TransferStatus.declined, amountMinor: 0, declineReason, source, destination };
}
