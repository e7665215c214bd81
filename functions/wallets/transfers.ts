import { isWalletId } from "../../shared/ledger/journal-entry.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { listMergedPage } from "../../shared/lists/merged-lists.ts";
import { soughtAmount } from "../../shared/lists/sought.ts";
import { listIds } from "../../shared/lists/walk.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { withMetadata } from "../../shared/platform/labels.ts";
import {
  changeTransferLabels,
  findNamedTransfers,
  getTransfer,
} from "../../shared/wallets/stored-transfer.ts";
import { type Transfer, toTransferView } from "../../shared/wallets/transfer.ts";
import { transferList } from "../../shared/wallets/transfer-list.ts";
import { walletList } from "../../shared/wallets/wallet.ts";

type Query = Parameters<Operations["GET /transfers"]>[0]["query"];

/** Each once: where it came from a Wallet, that one's list has it, else that of its destination. */
export const listAllTransfers: Operations["GET /transfers"] = async ({ scope: { programId }, query }) => {
  const { externalId, transStatus } = query;
  const { owner, known = [], ...side } = chooseList(query);
  const isNamed = externalId !== undefined;
  const asked = (["sourceWalletId", "sourceCardId", "destinationId"] as const).filter(
    (name) => query[name] !== undefined && (isNamed || !known.includes(name)),
  );
  const listing = {
    orders: { transferId: "entityId", amount: "requestedAmountMinor" },
    sought: soughtAmount(query, "requestedAmountMinor"),
    ...(asked.length > 0 && {
      where: (transfer: Transfer) => asked.every((name) => transfer[name] === query[name]),
    }),
    view: (transfer: Transfer) => toTransferView(transfer),
  };
  if (isNamed) {
    const records = { given: await findNamedTransfers(programId, externalId) };
    return listPage({ ...listing, records, filters: { transStatus } }, query);
  }
  const walletIds = owner === undefined ? await readWalletIds(programId) : [owner];
  const lists = walletIds.map((walletId) => ({ programId, kind: transferList, owner: walletId }));
  const { filters, excluded } = side;
  return listMergedPage(lists, { ...listing, filters: { transStatus, ...filters }, excluded }, query);
};

interface ChosenList {
  /** The Wallet whose list has all that are asked for. */
  readonly owner?: string;
  /** What follows from the list alone. */
  readonly known?: readonly (keyof Query)[];
  readonly filters?: { readonly side: string };
  readonly excluded?: { readonly side: string };
}

function chooseList({ sourceWalletId, destinationId }: Query): ChosenList {
  if (sourceWalletId !== undefined)
    return { owner: sourceWalletId, known: ["sourceWalletId"], filters: { side: "out" } };
  if (destinationId !== undefined && isWalletId(destinationId))
    return { owner: destinationId, known: ["destinationId"], excluded: { side: "out" } };
  return { excluded: { side: "copy" } };
}

function readWalletIds(programId: string): Promise<string[]> {
  return listIds({ programId, kind: walletList });
}

export const viewTransfer: Operations["GET /transfers/{transferId}"] = async ({
  scope: { programId },
  path: { transferId },
}) => {
  const transfer = await getTransfer(programId, transferId, await readWalletIds(programId));
  return withMetadata(programId, transferId, toTransferView(transfer));
};

/** @throws ApiError NOT_FOUND; EXTERNAL_ID_EXISTS */
export const updateTransfer: Operations["PUT /transfers/{transferId}"] = async ({ scope, path, body }) => {
  const { programId } = scope;
  const { transferId } = path;
  const walletIds = await readWalletIds(programId);
  const { changed, metadata } = await changeTransferLabels({ programId, transferId, walletIds }, body);
  const { hasMetadata: _, ...view } = toTransferView(changed);
  return { ...view, metadata };
};
