import { cardList } from "../cards/card-view.ts";
import { suspenseList } from "../deposits/suspense.ts";
import { disputeList } from "../disputes/dispute.ts";
import type { List, ListKind } from "../lists/kind.ts";
import { readAllEntries } from "../lists/rebuild.ts";
import { microDepositList } from "../payments/payment.ts";
import { walletList } from "../wallets/wallet.ts";
import type { BooksDay } from "./collect.ts";
import { idMarginMs } from "./read-entries.ts";

/** All that journal entries are stored with is in one of them. */
const ownerLists: readonly ListKind[] = [cardList, walletList, suspenseList, disputeList, microDepositList];

/** The ids of a Program's owners of entries that exist at the end of the day, in order. */
export async function readOwnerIds(programId: string, { until }: Pick<BooksDay, "until">): Promise<string[]> {
  const lists = ownerLists.map((kind): List => ({ programId, kind }));
  const entries = (await Promise.all(lists.map(readAllEntries))).flat();
  const lastMs = until.getTime() + idMarginMs;
  const ids = entries.filter(({ createdAt }) => createdAt < lastMs).map(({ id }) => id);
  return [...new Set(ids)].sort();
}
