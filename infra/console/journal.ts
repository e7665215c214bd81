import { type JournalEntry, journalEntries } from "../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../shared/ledger/postings.ts";
import { parseEntry } from "../../shared/ledger/stored-entry.ts";
import { walletTransactionList } from "../../shared/ledger/wallet-transactions.ts";
import { earliestChangeId, idStart } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { codeLabel, counted } from "./labels.ts";
import { walkItems } from "./newest-first.ts";
import { type Cell, type Item, linkOn, NotFound, type Page, type Query, toHref, toTable } from "./page.ts";
import { toFields, toNames } from "./record-fields.ts";
import { programTrail } from "./trails.ts";
import { money, toCell } from "./values.ts";

const pageSize = 50;
const patience = 5_000;

/** Items that may have a journal entry, by the beginnings of their sort keys. */
const begins = [
  `ENTRY#${idStart("journalEntry")}`,
  `TRANSACTION#${idStart("transaction")}`,
  `FEE#${idStart("fee")}`,
  `TRANSFER#${idStart("transfer")}`,
];

/** The entries behind an account's balances, or of these only what belongs to one record. */
export function journalHref(
  programId: string,
  accountId: string,
  related?: { readonly id: string; readonly createdAt: string },
): string {
  if (related === undefined) return toHref(["programs", programId, "accounts", accountId]);
  const from = earliestChangeId(new Date(related.createdAt));
  return toHref(["programs", programId, "accounts", accountId], { related: related.id, from });
}

/** The entry that an item is, or has; undefined for one that moved nothing. */
export function entryHref(programId: string, item: Item): string | undefined {
  const [pk, sk] = [String(item.pk), String(item.sk)];
  const hasEntry = item.entry !== undefined || sk.startsWith("ENTRY#");
  return hasEntry
    ? toHref(["programs", programId, "accounts", pk.slice(programId.length + 1), sk])
    : undefined;
}

/** Newest first; what belongs to one record comes oldest first. */
export async function journalPage(programId: string, accountId: string, query: Query): Promise<Page> {
  const related = query.get("related") ?? "";
  const { pk } = journalEntries.key(programId, accountId, "");
  const [program, walked] = await Promise.all([
    readProgram(programId),
    walkItems({
      parts: begins.map((begin) => ({ pk, begin })),
      from: query.get("from") ?? "",
      isAscending: related !== "",
      limit: pageSize,
      patience,
      isWanted: (item) => {
        const entry = parseEntry(item);
        return entry !== undefined && (related === "" || belongsTo(related, item, entry));
      },
    }),
  ]);
  const { items, next, visited } = walked;
  const further = related === "" ? "Older entries" : "Later entries";
  const more = linkOn(further, ["programs", programId, "accounts", accountId], next, { related });
  const rows = items.map((item) => toRow(programId, accountId, item, program?.currency));
  const summary = `${counted(items.length, "entry", "entries")} of ${counted(visited, "item")} read. The amounts are what each adds to the account's balances.`;
  return {
    title: related === "" ? "Journal" : `Journal entries of ${related}`,
    trail: await programTrail(programId, accountId),
    sections: [toTable("Journal entries", columns, rows, summary, more)],
  };
}

const columns = ["Time", "Kind", "Available", "Held", "Pending", "Ledger", "Belongs to", "Entry"];

/** By the entry, or by the record that has it: an authorization, a dispute, a reversal. */
function belongsTo(id: string, item: Item, entry: JournalEntry): boolean {
  return [entry.relatedId, item.authorizationId, item.relatedId, item.transId, item.feeId].includes(id);
}

function toRow(
  programId: string,
  accountId: string,
  item: Item,
  currency: Parameters<typeof money>[1],
): Cell[] {
  const entry = parseEntry(item) as JournalEntry;
  const change = balanceChanges(entry.postings).get(accountId);
  const href = entryHref(programId, item);
  const context = { kind: "journal", programId };
  const amounts = (["availableMinor", "heldMinor", "pendingDepositMinor", "ledgerMinor"] as const).map(
    (name): Cell => ({ text: money(change?.[name] ?? 0, currency), isNumber: true, href }),
  );
  return [
    toCell(context, "createdAt", entry.createdAt),
    { text: codeLabel(entry.kind) },
    ...amounts,
    toCell(context, "relatedId", entry.relatedId),
    { text: entry.entryId, href },
  ];
}

const fields = toNames("entryId kind createdAt relatedId description");

/** One entry with its postings, whose sum is zero. */
export async function entryPage(programId: string, accountId: string, sk: string): Promise<Page> {
  const { pk } = journalEntries.key(programId, accountId, "");
  const [[item], program] = await Promise.all([readBatch([{ pk, sk }]), readProgram(programId)]);
  const entry = item && parseEntry(item);
  if (!entry) throw new NotFound(`${accountId} has no journal entry ${sk} in ${programId}.`);
  const context = { kind: "journal", programId, currency: program?.currency };
  const sumMinor = entry.postings.reduce((sum, { amountMinor }) => sum + amountMinor, 0);
  const rows = entry.postings.map(({ account, amountMinor }): Cell[] => [
    accountCell(programId, account),
    { text: money(amountMinor, program?.currency), isNumber: true },
  ]);
  return {
    title: `${codeLabel(entry.kind)}, journal entry`,
    trail: [
      ...(await programTrail(programId, accountId)),
      { text: "Journal", href: journalHref(programId, accountId) },
    ],
    sections: [
      toFields("Entry", fields, { description: null, ...entry }, context),
      toTable("Postings", ["Account", "Amount"], rows, `Their sum is ${money(sumMinor, program?.currency)}.`),
    ],
  };
}

/** A Card's or a Wallet's part leads to its journal; the platform's own accounts have no page. */
function accountCell(programId: string, account: string): Cell {
  const [accountId = "", part] = account.split(":");
  return part === undefined ? { text: account } : { text: account, href: journalHref(programId, accountId) };
}

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
const ownEntry: Find = ({ programId, record }) => entryHref(programId, record);

/** Entries of the account for the record with this id. */
const relatedTo =
  (accountOf: (record: Item) => unknown, id: string): Find =>
  ({ programId, record }) =>
    record[id] === undefined
      ? undefined
      : journalHref(programId, String(accountOf(record)), {
          id: String(record[id]),
          createdAt: String(record.createdAt),
        });

const ofAccount = relatedTo(({ account }) => Object(account).accountId, "depositId");
/** Its entries are beside the deposit. */
const withoutAccount = relatedTo(({ depositId }) => depositId, "depositId");

const card = ({ cardId }: Item) => cardId;
const wallet = ({ walletId }: Item) => walletId;

const byKind: Readonly<Record<string, Find>> = {
  cards: balance,
  wallets: balance,
  transactions: ownEntry,
  // A withdrawal's entry has its fee too.
  fees: (shown) => ownEntry(shown) ?? relatedTo(card, "relatedTransId")(shown),
  transfers: ownEntry,
  walletTransactions: ({ programId, record, owner }) => {
    const list = { programId, kind: walletTransactionList, owner };
    const key = walletTransactionList.recordKey?.(list, String(record.entityId), record);
    return key && entryHref(programId, { ...key, entry: {} });
  },
  deposits: (shown) => (shown.record.suspenseId === undefined ? ofAccount(shown) : withoutAccount(shown)),
  suspense: (shown) => withoutAccount(shown),
  authorizations: relatedTo(card, "authorizationId"),
  holds: relatedTo(card, "authorizationId"),
  disputes: relatedTo(card, "disputeId"),
  payouts: relatedTo(wallet, "paymentId"),
  pulls: relatedTo(wallet, "depositId"),
};
