import { listPage } from "../../shared/lists/list-page.ts";
import { now } from "../../shared/platform/clock.ts";
import type { Operations } from "../../shared/platform/http/request.ts";
import { newId } from "../../shared/platform/id.ts";
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
  const whole: Wallet[] = [];
  for (let read = 0; read < page.items.length; read += concurrency) {
    const next = page.items.slice(read, read + concurrency);
    whole.push(...(await Promise.all(next.map((wallet) => readWholeWallet(programId, wallet)))));
  }
  return { ...page, items: whole.map(toWalletView) };
};

export const createWallet: Operations["POST /wallets"] = async ({ scope, body }) => {
  const { programId, currency } = scope;
  const wallet = newWallet({ walletId: newId("wallet"), name: body.name, currency }, now());
  // In a transaction, since its token lets a retry after a lost answer succeed.
  const { committed } = await transact([walletPut(programId, wallet)]);
  if (!committed) throw new Error(`The Wallet ${wallet.walletId} exists already.`);
  return toWalletView(wallet);
};

export const viewWallet: Operations["GET /wallets/{walletId}"] = async ({ scope, path }) =>
  toWalletView(await readWholeWallet(scope.programId, await getWallet(scope.programId, path.walletId)));
