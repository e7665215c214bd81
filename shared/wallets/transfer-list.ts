import { transferKey } from "../ledger/journal-entry.ts";
import { listOwner } from "../ledger/wallet-transactions.ts";
import { defineList, type StoredRecord } from "../lists/kind.ts";
import { idStart } from "../platform/id.ts";
import type { Transfer } from "./transfer.ts";

/** The list of `GET /wallets/{walletId}/transfers`, one for each Wallet. */
export const transferList = defineList({
  name: "transfers",
  filters: ["transStatus", "side"],
  orders: ["requestedAmountMinor"],
  recordKey: (list, transferId) => transferKey(list.programId, listOwner(list), transferId),
  minimumChanges: 128,
  recordPrefixes: (list) => [transferKey(list.programId, listOwner(list), idStart("transfer"))],
  toRecord: (transfer, { owner }) => toListedTransfer(transfer as unknown as Transfer, owner),
});

/**
 * In a Wallet's list: `out` of it, `in` from a Card, or the `copy` of what is in another one's list
 * too.
 */
export function toListedTransfer(transfer: Transfer, owner: string | undefined): StoredRecord {
  const { transferId: entityId, sourceWalletId } = transfer;
  const incoming = sourceWalletId === undefined ? "in" : "copy";
  return { ...transfer, entityId, side: sourceWalletId === owner ? "out" : incoming };
}
