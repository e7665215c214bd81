import type { Currency, DestinationType, TransferStatus } from "../contract/enums.ts";
import type { TransferDeclineReason, TransferResponse } from "../contract/wallets.ts";
import { environment } from "../environment.ts";
import type { Account } from "../ledger/account.ts";
import { listedPut } from "../listing/change-row.ts";
import { issuingKey } from "../table/keys.ts";
import type { WriteAction } from "../table/transact.ts";

/** A transfer as it is stored with each Wallet that it touches. */
export interface Transfer {
  readonly transferId: string;
  readonly transStatus: TransferStatus;
  readonly sourceWalletId: string;
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

/** The card or wallet that the transfer goes to. */
export function destinationOf({
  destinationType,
  destinationId,
}: Pick<Transfer, "destinationType" | "destinationId">): Account {
  return { kind: destinationType === 1 ? "card" : "wallet", accountId: destinationId };
}

/** The transfer's record with its source, and with its destination where that is a wallet too. */
export function transferPuts(programId: string, transfer: Transfer): WriteAction[] {
  const { sourceWalletId, destinationType, destinationId, transferId } = transfer;
  const wallets = destinationType === 0 ? [sourceWalletId, destinationId] : [sourceWalletId];
  return wallets.map((walletId) => ({
    name: "transfer",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...issuingKey.transfer(programId, walletId, transferId), ...transfer },
      ConditionExpression: "attribute_not_exists(pk)",
    },
    alongside: [listedPut("transfers", programId, transferId, transfer, walletId)],
  }));
}

/** The transfer as it is answered. */
export function toTransferResponse(transfer: Transfer): TransferResponse {
  return {
    transferId: transfer.transferId,
    transStatus: transfer.transStatus,
    sourceWalletId: transfer.sourceWalletId,
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
