import type { Card } from "../../shared/cards/card.ts";
import type { Currency } from "../../shared/contract/enums.ts";
import { controls, readControlKeys } from "../../shared/controls/control.ts";
import { disputes, readDisputeKeys } from "../../shared/disputes/dispute.ts";
import { type JournalEntry, journalEntries } from "../../shared/ledger/journal-entry.ts";
import { balanceChanges } from "../../shared/ledger/postings.ts";
import { findPaid, parseEntry } from "../../shared/ledger/stored-entry.ts";
import { ridingShard } from "../../shared/lists/entry.ts";
import { changedEntries, entryAttributes, ridingEntries, ridingKey } from "../../shared/lists/kind.ts";
import { notificationList } from "../../shared/notifications/notification.ts";
import type { Plastic } from "../../shared/plastics/plastic.ts";
import { changeIdTime, earliestChangeId, idStart } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import { readTokenKeys, tokens } from "../../shared/tokens/token.ts";
import { entryHref, journalHref } from "./journal.ts";
import { codeLabel, counted } from "./labels.ts";
import { walkItems } from "./newest-first.ts";
import { type Cell, type Item, linkOn, type Table, toHref, toTable } from "./page.ts";
import { hrefOfId, money, toCell } from "./values.ts";

const pageSize = 50;
const patience = 5_000;
/** Other Cards share the Card's partition. */
const mostRows = 2_000;

interface Of {
  readonly programId: string;
  readonly cardId: string;
  readonly currency: Currency | undefined;
}

/** What happened, and when. */
interface Happened {
  readonly at: string;
  readonly subject?: Cell;
  readonly type: Cell;
  readonly amount?: Cell;
  readonly status?: Cell;
  readonly because?: Cell | undefined;
  readonly id: Cell;
}

/** In milliseconds: from the oldest on, up to the newest. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** All that happened to a Card: money, its own steps, controls, disputes, tokens, webhooks. */
export async function timeline(
  of: Of,
  card: Card,
  plastics: Promise<readonly Plastic[]>,
  query: URLSearchParams,
): Promise<Table> {
  const from = query.get("from") ?? "";
  const { items, next } = await walkMoney(of, from);
  const oldest = items.at(-1);
  const span = {
    from: next === undefined || !oldest ? Number.NEGATIVE_INFINITY : Date.parse(String(oldest.createdAt)),
    to: from === "" ? Number.POSITIVE_INFINITY : changeIdTime(from),
  };
  const [others, webhooks] = await Promise.all([readOthers(of), readWebhooks(of, span)]);
  const merchants = new Map(items.map((item) => [item.authorizationId, item.merchantName]));
  const money = items.map((item) => toMoney(of, item, merchants));
  const own = [...toSteps(of, card, await plastics), ...others].filter(({ at }) => isWithin(at, span));
  const happened = [...money, ...own, ...webhooks.happened];
  const sorted = happened.toSorted((one, other) => (one.at < other.at ? 1 : one.at > other.at ? -1 : 0));
  const path = ["programs", of.programId, "cards", of.cardId];
  const rows = sorted.map(
    ({ at, subject = none, type, amount = none, status = none, because = none, id }) => [
      ...[{ time: at }, subject, type, amount, status, because, id],
    ],
  );
  const summary = `${counted(sorted.length, "event")}, the newest first. An amount leads to its journal entry.${webhooks.note}`;
  return toTable("Timeline", columns, rows, summary, linkOn("Older events", path, next));
}

const columns = ["Time", "Merchant or subject", "Type", "Amount", "Status", "Because", "Id"];

function walkMoney({ programId, cardId }: Of, from: string) {
  const { pk } = journalEntries.key(programId, cardId, "");
  return walkItems({
    parts: [
      `TRANSACTION#${idStart("transaction")}`,
      `FEE#${idStart("fee")}`,
      `ENTRY#${idStart("journalEntry")}`,
    ].map((begin) => ({ pk, begin })),
    from,
    isAscending: false,
    limit: pageSize,
    patience,
    isWanted: () => true,
  });
}

/** A transaction, a fee, or an entry that no record has. */
function toMoney(of: Of, item: Item, merchants: ReadonlyMap<unknown, unknown>): Happened {
  const { programId, cardId } = of;
  const entry = parseEntry(item);
  // What is reserved while somebody is asked has an entry only, which names the authorization.
  const merchant = item.merchantName ?? item.description ?? merchants.get(entry?.relatedId);
  const isRecord = item.transType !== undefined;
  const context = { kind: "transactions", programId };
  const at = String(item.createdAt ?? entry?.createdAt);
  const [minor, href] = isRecord
    ? [signedMinor(item), entryHref(programId, item) ?? paidHref(of, item)]
    : [entryMinor(entry, cardId), entryHref(programId, item)];
  return {
    at,
    subject: { text: String(merchant ?? "–") },
    type: isRecord ? toCell(context, "transType", item.transType) : { text: codeLabel(String(entry?.kind)) },
    amount: amountCell(minor, of.currency, href),
    ...(isRecord && { status: toCell(context, "transStatus", item.transStatus) }),
    because: item.declineReason === undefined ? none : toCell(context, "declineReason", item.declineReason),
    id: { text: String(item.transId ?? item.feeId ?? entry?.entryId), href },
  };
}

const none: Cell = { text: "–" };

/** What a fee or a debit takes is negative. */
function signedMinor({ amountMinor, type, feeId, transId }: Item): number {
  const isDebit = transId === undefined ? feeId !== undefined : type === "DR";
  return isDebit ? -Number(amountMinor) : Number(amountMinor);
}

/** What the ledger balance changed by, or what is available where it did not. */
function entryMinor(entry: JournalEntry | undefined, cardId: string): number {
  const change = entry && balanceChanges(entry.postings).get(cardId);
  return change?.ledgerMinor || change?.availableMinor || 0;
}

/** The entry of the Wallet that paid, which the Card's record names. */
function paidHref({ programId }: Of, item: Item): string | undefined {
  const paid = findPaid(item);
  if (paid)
    return entryHref(programId, { ...journalEntries.key(programId, paid.walletId, paid.entryId), entry: {} });
  if (item.fundingWalletId === undefined || item.authorizationId === undefined) return undefined;
  const related = { id: String(item.authorizationId), createdAt: String(item.createdAt) };
  return journalHref(programId, String(item.fundingWalletId), related);
}

function amountCell(minor: number, currency: Currency | undefined, href: string | undefined): Cell {
  return minor === 0 ? none : { text: money(minor, currency), isNumber: true, href };
}

/** Controls, disputes and tokens, at the time at which they began. A Card has few. */
async function readOthers({ programId, cardId, currency }: Of): Promise<Happened[]> {
  const [controlKeys, disputeKeys, tokenKeys] = await Promise.all([
    readControlKeys(programId, cardId),
    readDisputeKeys(programId, [cardId]),
    readTokenKeys(programId, [cardId]),
  ]);
  const items = await readBatch([...controlKeys, ...disputeKeys, ...tokenKeys]);
  const link = (id: string) => ({ text: id, href: hrefOfId(id, programId) });
  const toStatus = (kind: string, status: string) => toCell({ kind, programId }, "status", status);
  return items.map((item): Happened => {
    const at = String(item.createdAt);
    if (item.tokenId !== undefined) {
      const { wallet, state, tokenId } = tokens.parse(item);
      const subject = { text: codeLabel(wallet) };
      return { at, subject, type: { text: "Token" }, status: toStatus("tokens", state), id: link(tokenId) };
    }
    if (item.disputeId !== undefined) {
      const { reason, disputeId, createdAt, amountMinor, status } = disputes.parse(item);
      const href = journalHref(programId, cardId, { id: disputeId, createdAt });
      const amount = amountCell(amountMinor, currency, href);
      const told = { subject: { text: codeLabel(reason) }, status: toStatus("disputes", status) };
      return { at, ...told, type: { text: "Dispute" }, amount, id: link(disputeId) };
    }
    const { name, state, entityId } = controls.parse(item);
    const told = { subject: { text: name }, status: toStatus("controls", state) };
    return { at, ...told, type: { text: "Spend control" }, id: link(entityId) };
  });
}

function isWithin(at: string, { from, to }: Span): boolean {
  const ms = Date.parse(at);
  return ms >= from && ms < to;
}

/** From the rows of the Card's partition: these have what lists know of webhooks. */
async function readWebhooks({ programId, cardId }: Of, { from, to }: Span) {
  const { pk } = ridingKey(programId, ridingShard(cardId), "");
  const place = (ms: number) => earliestChangeId(new Date(ms));
  const keys = {
    first: Number.isFinite(from) ? place(from) : "0",
    last: Number.isFinite(to) ? place(to) : "~",
  };
  const query = { ...toPartitionQuery(pk, keys), ScanIndexForward: false };
  const happened: Happened[] = [];
  let read = 0;
  for await (const item of readItems({ ...query, Limit: 500 })) {
    if (read === mostRows) break;
    read += 1;
    happened.push(...webhooksIn(programId, cardId, item));
  }
  const note = read === mostRows ? ` Webhooks are those of the last ${mostRows} rows of the span.` : "";
  return { happened, note };
}

function webhooksIn(programId: string, cardId: string, item: Item): Happened[] {
  const stored = item.entries;
  if (!Array.isArray(stored)) return [];
  return changedEntries({ entries: ridingEntries(notificationList, stored) }).flatMap((entry): Happened[] => {
    const known = entryAttributes(notificationList, entry);
    if (known.cardId !== cardId || entry.weight < 0) return [];
    return [
      {
        at: new Date(entry.createdAt).toISOString(),
        subject: toCell({ kind: "notifications", programId }, "eventType", known.eventType),
        type: { text: "Webhook" },
        id: { text: entry.id, href: toHref(["programs", programId, "notifications", entry.id]) },
      },
    ];
  });
}

/** It or one of its plastics came to a status. */
type Step = readonly [subject: string, id: string, at: string | undefined, status: string, reason?: string];

/** Those whose time is stored. When its Program put the Card on hold, and released it, is not. */
function toSteps({ programId, cardId }: Of, card: Card, plastics: readonly Plastic[]): Happened[] {
  const steps: readonly Step[] = [
    ["Card", cardId, card.createdAt, "issued"],
    ["Card", cardId, card.blockedAt, "blocked"],
    ["Card", cardId, card.cardholderBlockedAt, "blocked", "cardholder"],
    ["Card", cardId, card.closedAt, "closed"],
    ...plastics.flatMap(toPlasticSteps),
  ];
  return steps.flatMap(([subject, id, at, status, reason]): Happened[] => {
    if (at === undefined) return [];
    const because = reason === undefined ? none : { text: codeLabel(reason) };
    const shown = toCell({ kind: "cards", programId }, "status", status);
    const link = { text: id, href: hrefOfId(id, programId) };
    return [{ at, type: { text: subject }, status: shown, because, id: link }];
  });
}

/** The first one is issued with its Card, and active with it if it is virtual. */
function toPlasticSteps(plastic: Plastic): Step[] {
  const { plasticId: id, sequence, reason, state, createdAt, activatedAt, endedAt, stoppedFor } = plastic;
  return [
    ["Plastic", id, sequence === 1 ? undefined : createdAt, "pending", reason],
    ["Plastic", id, activatedAt === createdAt ? undefined : activatedAt, "active"],
    ["Plastic", id, endedAt, state, stoppedFor],
  ];
}
