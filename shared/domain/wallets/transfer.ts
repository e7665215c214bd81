import { type Currency, DestinationType, type TransferStatus } from "../../contract/enums.ts";
import type { TransferDeclineReason, TransferListItem } from "../../contract/wallets.ts";
import { listInsert } from "../../lists/change.ts";
import type { ListKind } from "../../lists/entry.ts";
import { environment } from "../../platform/environment.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Account } from "../ledger/account.ts";

/** A transfer as it is stored with each Wallet that it touches. */
export type Transfer = TransferRecord & TransferSource;

/** A Wallet, or the Card that is unloaded. */
export type TransferSource =
  | { readonly sourceWalletId: string; readonly sourceCardId?: never }
  | { readonly sourceCardId: string; readonly sourceWalletId?: never };

interface TransferRecord {
  readonly transferId: string;
  readonly transStatus: TransferStatus;
  readonly destinationType: DestinationType;
  readonly destinationId: string;
  readonly requestedAmountMinor: number;
  readonly transferredAmountMinor: number;
  readonly currency: Currency;
  readonly declineReason?: TransferDeclineReason | undefined;
  readonly memo?: string | undefined;
  readonly externalId?: string | undefined;
  readonly createdAt: string;
}

/** The list of `GET /wallets/{walletId}/transfers`, one for each Wallet. */
export const transferList: ListKind = {
  name: "transfers",
  filters: ["transStatus"],
  orders: ["requestedAmountMinor"],
  shards: 1,
  recordKey: ({ programId, owner = "" }, transferId) => issuingKey.transfer(programId, owner, transferId),
  recordPrefix: ({ programId, owner = "" }) => issuingKey.transfer(programId, owner, ""),
  toRecord: (transfer) => ({ ...transfer, entityId: transfer.transferId }),
};

/** The card or wallet that the transfer comes from. */
export function sourceOf({ sourceWalletId, sourceCardId }: TransferSource): Account {
  return sourceCardId === undefined
    ? { kind: "wallet", accountId: sourceWalletId }
    : { kind: "card", accountId: sourceCardId };
}

/** The card or wallet that the transfer goes to. */
export function destinationOf({
  destinationType,
  destinationId,
}: Pick<Transfer, "destinationType" | "destinationId">): Account {
  return { kind: destinationType === DestinationType.card ? "card" : "wallet", accountId: destinationId };
}

/** The transfer's record with each Wallet that it touches. */
export function transferPuts(programId: string, transfer: Transfer): WriteAction[] {
  return [sourceOf(transfer), destinationOf(transfer)]
    .filter(({ kind }) => kind === "wallet")
    .map(({ accountId }) => ({
      name: "transfer",
      Put: {
        TableName: environment.issuingTable,
        Item: { ...issuingKey.transfer(programId, accountId, transfer.transferId), ...transfer },
        ConditionExpression: "attribute_not_exists(pk)",
      },
      alongside: [listInsert(transferList, programId, transfer.transferId, transfer, accountId)],
    }));
}

/** The transfer as it is answered, with the source that it has. */
export function toTransferResponse<T extends Transfer>(
  transfer: T,
): Omit<TransferListItem, keyof TransferSource> & Pick<T, keyof TransferSource> {
  return {
    transferId: transfer.transferId,
    transStatus: transfer.transStatus,
    sourceWalletId: transfer.sourceWalletId,
    sourceCardId: transfer.sourceCardId,
    destinationType: transfer.destinationType,
    destinationId: transfer.destinationId,
    requestedAmount: transfer.requestedAmountMinor,
    transferredAmount: transfer.transferredAmountMinor,
    currency: transfer.currency,
    declineReason: transfer.declineReason,
    memo: transfer.memo,
    externalId: transfer.externalId,
    dateCreated: transfer.createdAt,
  };
}
