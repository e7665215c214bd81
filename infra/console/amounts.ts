import { walletTransactionList } from "../../shared/ledger/wallet-transactions.ts";
import { entryHref, journalHref } from "./journal.ts";
import type { Item } from "./page.ts";

interface Shown {
  readonly programId: string;
  readonly record: Item;
  /** The account whose list it is shown in. */
  readonly owner?: string | undefined;
}

/** Where the journal entries are that an amount of a record comes from, by the kind of record. */
export function amountHref(kind: string, shown: Shown): string | undefined {
  return byKind[kind]?.(shown);
}

type Find = (shown: Shown) => string | undefined;

/** Every balance of an account follows from its journal. */
const balance: Find = ({ programId, record }) => journalHref(programId, String(record.entityId));

/** The record has its entry. What has none, such as a decline, moved nothing. */
const own: Find = ({ programId, record }) => entryHref(programId, record);

/** Entries of the account for the record with this id. */
const related =
  (accountOf: (record: Item) => unknown, id: string): Find =>
  ({ programId, record }) =>
    record[id] === undefined
      ? undefined
      : journalHref(programId, String(accountOf(record)), {
          id: String(record[id]),
          createdAt: String(record.createdAt),
        });

const ofAccount = related(({ account }) => Object(account).accountId, "depositId");
/** Its entries are beside the deposit. */
const withoutAccount = related(({ depositId }) => depositId, "depositId");

const card = ({ cardId }: Item) => cardId;
const wallet = ({ walletId }: Item) => walletId;

const byKind: Readonly<Record<string, Find>> = {
  cards: balance,
  wallets: balance,
  transactions: own,
  // A withdrawal's entry has its fee too.
  fees: (shown) => own(shown) ?? related(card, "relatedTransId")(shown),
  transfers: own,
  walletTransactions: ({ programId, record, owner }) => {
    const list = { programId, kind: walletTransactionList, owner };
    const key = walletTransactionList.recordKey?.(list, String(record.entityId), record);
    return key && entryHref(programId, { ...key, entry: {} });
  },
  deposits: (shown) => (shown.record.suspenseId === undefined ? ofAccount(shown) : withoutAccount(shown)),
  suspense: (shown) => withoutAccount(shown),
  authorizations: related(card, "authorizationId"),
  holds: related(card, "authorizationId"),
  disputes: related(card, "disputeId"),
  payouts: related(wallet, "paymentId"),
  pulls: related(wallet, "depositId"),
};
