import * as z from "zod";
import { toAuthorizationView } from "../authorizations/authorization-view.ts";
import { authorizationList } from "../authorizations/holds/history.ts";
import { holds } from "../authorizations/holds/hold.ts";
import { cards } from "../cards/card.ts";
import { cardList, toCardItem } from "../cards/card-view.ts";
import { listCardIds } from "../cards/cards-of-cardholder.ts";
import { AuthorizationStatus } from "../contract/authorizations.ts";
import type { ReportKind } from "../contract/reports.ts";
import { readRecords } from "../lists/indexed-page.ts";
import { entryAttributes, type List, type ListKind, type StoredRecord, type Value } from "../lists/kind.ts";
import { type WalkPlace, walkList } from "../lists/walk.ts";
import { accountUpdateList, accountUpdates, toAccountUpdateView } from "../plastics/plastic.ts";
import { feeList, fees } from "../transactions/fee.ts";
import { toFeeView, uncharged } from "../transactions/fee-rules.ts";
import { transactionList, transactions } from "../transactions/transaction.ts";
import { toTransactionView, unposted } from "../transactions/transaction-view.ts";
import type { Row } from "./forms.ts";
import type { Report } from "./report.ts";

/** A kind whose rows are the items of a list. */
interface Listed {
  readonly kind: ListKind;
  /** As the list does without a filter. */
  readonly excluded?: Readonly<Record<string, Value>>;
  /** Absent where only the record has it. */
  readonly cardIn?: (known: StoredRecord, id: string) => unknown;
  readonly view: (record: StoredRecord) => Row;
}

export const listedKinds: Readonly<Record<Exclude<ReportKind, "balances">, Listed>> = {
  transactions: {
    kind: transactionList,
    excluded: unposted,
    cardIn: ({ cardId }) => cardId,
    view: (record) => toTransactionView(transactions.parse(record)),
  },
  fees: {
    kind: feeList,
    excluded: uncharged,
    cardIn: ({ cardId }) => cardId,
    view: (record) => toFeeView(fees.parse(record)),
  },
  cards: {
    kind: cardList,
    cardIn: (_, id) => id,
    view: (record) => toCardItem(cards.parse(record)),
  },
  account_updates: {
    kind: accountUpdateList,
    cardIn: ({ cardId }) => cardId,
    view: (record) => toAccountUpdateView(accountUpdates.parse(record)),
  },
  authorizations: {
    kind: authorizationList,
    view: (record) => toAuthorizationView(holds.parse(record), AuthorizationStatus.parse(record.status)),
  },
};

export const Place = z.object({ createdAt: z.number(), id: z.string(), ofMoment: z.int() });
export type Place = z.output<typeof Place>;

interface RowPage {
  readonly rows: readonly Row[];
  /** Undefined after the last row. */
  readonly place: WalkPlace | undefined;
}

/** The next rows of a list. Only the records that are on the report are read. */
export async function readListedRows(
  report: Report,
  { kind, excluded, cardIn, view }: Listed,
  after: WalkPlace | undefined,
  limit: number,
): Promise<RowPage> {
  const { programId, from, to } = report;
  const list: List = { programId, kind };
  const span = { from: Date.parse(from), until: Date.parse(to) };
  const { entries, place } = await walkList(list, { ...(excluded && { excluded }), ...span, after, limit });
  const isMeant = await toCardFilter(report);
  const wanted = cardIn
    ? entries.filter((entry) => isMeant(cardIn(entryAttributes(kind, entry), entry.id)))
    : entries;
  const records = await readRecords(list, wanted);
  const { cardholderId } = report;
  const isOfReport = (record: StoredRecord) =>
    cardIn !== undefined ||
    ((cardholderId === undefined || record.cardholderId === cardholderId) && isMeant(record.cardId));
  // One that expired since is in the list for some days more.
  const stored = records.filter(({ createdAt }) => createdAt !== undefined);
  return { rows: stored.filter(isOfReport).map(view), place };
}

export async function toCardFilter({
  programId,
  cardId,
  cardholderId,
}: Pick<Report, "programId" | "cardId" | "cardholderId">): Promise<(id: unknown) => boolean> {
  if (cardId !== undefined) return (id) => id === cardId;
  if (cardholderId === undefined) return () => true;
  const ids: ReadonlySet<unknown> = new Set(await listCardIds(programId, cardholderId));
  return (id) => ids.has(id);
}
