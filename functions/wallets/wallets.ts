import type { StoredRecord } from "../../shared/lists/kind.ts";
import { listPage } from "../../shared/lists/list-page.ts";
import { nameKey } from "../../shared/lists/name-key.ts";
import { beginsSo } from "../../shared/lists/search-key.ts";
import { listIds } from "../../shared/lists/walk.ts";
import { now } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
import { inLanes } from "../../shared/platform/in-lanes.ts";
import {
  changeLabels,
  findByExternalId,
  labelPuts,
  newLabels,
  requireUnique,
  withMetadata,
} from "../../shared/platform/labels.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import {
  getWallet,
  newWallet,
  readWholeWallet,
  toWalletView,
  type Wallet,
  walletList,
  walletPut,
  wallets,
} from "../../shared/wallets/wallet.ts";

/** Wallets read at once: a hot one takes 65 reads. */
const concurrency = 8;

export const listWallets: Operations["GET /wallets"] = async ({ scope: { programId } }) => {
  const page = await listPage(
    {
      records: { list: { programId, kind: walletList } },
      orders: { walletId: "entityId" },
      view: (item) => wallets.parse(item),
    },
    { orderBy: "walletId", sort: "asc", limit: Number.POSITIVE_INFINITY, offset: 0 },
  );
  return { ...page, items: await readWhole(programId, page.items) };
};

async function readWhole(programId: string, items: readonly Wallet[]) {
  const whole = await inLanes(items, (wallet) => readWholeWallet(programId, wallet), concurrency);
  return whole.map(toWalletView);
}

export const searchWallets: Operations["GET /wallets/search"] = async ({ scope: { programId }, query }) => {
  const { externalId, name } = query;
  const isNamed = name === undefined ? undefined : beginsSo(name);
  const named =
    externalId === undefined ? undefined : await findByExternalId(programId, "wallet", externalId);
  const page = await listPage(
    {
      // There are few enough for all of them to be listed at once.
      records: {
        keys: (
          named?.map(({ recordId }) => recordId) ?? (await listIds({ programId, kind: walletList }))
        ).map((walletId) => wallets.key(programId, walletId)),
      },
      orders: { walletId: "entityId" },
      sortKeys: { name: (wallet) => nameKey(String(wallet.name)) },
      filters: { ...(externalId !== undefined && { externalId }) },
      ...(isNamed && { where: (wallet: StoredRecord) => isNamed([String(wallet.name)]) }),
      view: (item) => wallets.parse(item),
    },
    query,
  );
  return { ...page, items: await readWhole(programId, page.items) };
};

export const createWallet: Operations["POST /wallets"] = async ({ scope, body }) => {
  const { programId, currency } = scope;
  const { name, ...given } = body;
  const wallet = newWallet({ walletId: newId("wallet"), name, currency, ...newLabels(given) }, now());
  const of = toLabelled(programId, wallet.walletId);
  // In a transaction, since its token lets a retry after a lost answer succeed.
  const outcome = await transact([walletPut(programId, wallet), ...labelPuts(of, given)]);
  if (!outcome.committed) {
    requireUnique(outcome.failedConditions, of);
    throw new Error(`The Wallet ${wallet.walletId} exists already.`);
  }
  return { ...toWalletView(wallet), metadata: body.metadata };
};

function toLabelled(programId: string, walletId: string) {
  return { programId, kind: "wallet", recordId: walletId } as const;
}

/** @throws ApiError NOT_FOUND; EXTERNAL_ID_EXISTS */
export const updateWallet: Operations["PUT /wallets/{walletId}"] = async ({
  scope: { programId },
  path: { walletId },
  body: { name, ...change },
}) => {
  const of = toLabelled(programId, walletId);
  const item = wallets.at(programId, walletId);
  const { changed, metadata } = await changeLabels(of, change, item, (stored) => ({
    set: name === undefined ? {} : { name },
    condition: { name: stored.name },
  }));
  return { ...toWalletView(await readWholeWallet(programId, changed)), metadata };
};

export const viewWallet: Operations["GET /wallets/{walletId}"] = async ({ scope, path }) => {
  const { programId } = scope;
  const wallet = await readWholeWallet(programId, await getWallet(programId, path.walletId));
  return withMetadata(programId, path.walletId, toWalletView(wallet));
};
