import { type Hold, holds } from "../../shared/authorizations/holds/hold.ts";
import { heldMinor, holdDueAt } from "../../shared/authorizations/holds/hold-rules.ts";
import { type Card, cards, toFunding } from "../../shared/cards/card.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { readUsage, toLimitControl } from "../../shared/controls/spend-limit.ts";
import { usedAt } from "../../shared/controls/usage.ts";
import { accountUpdates, type Plastic, plastics, toPlastics } from "../../shared/plastics/plastic.ts";
import { toPlasticView } from "../../shared/plastics/plastic-view.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { earliestChangeId, idStart, idTime, toOtherId } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { auditEntries } from "../../shared/tenancy/audit-log.ts";
import { readProgram } from "../../shared/tenancy/programs/program.ts";
import { readTokenKeys, tokens } from "../../shared/tokens/token.ts";
import { topUps } from "../../shared/top-ups/top-up.ts";
import { transactions } from "../../shared/transactions/transaction.ts";
import { amountHref, journalHref } from "./journal.ts";
import { counted } from "./labels.ts";
import { walkItems } from "./newest-first.ts";
import {
  type Cell,
  type Fields,
  type Item,
  type Link,
  linkOn,
  NotFound,
  type Page,
  type Query,
  type Section,
  type Table,
  toHref,
  toLinks,
  toTable,
} from "./page.ts";
import { itemTable, toFields, toNames } from "./record-fields.ts";
import { timeline } from "./timeline.ts";
import { ownerLink, programTrail } from "./trails.ts";
import { money, toCell } from "./values.ts";

const onHoldNote = "When it was put on hold is not stored: where an endpoint takes webhook 21, that tells.";

/** A Card as support needs it: who and how much, what is held and why, and all that happened. */
export async function cardSections(programId: string, record: Item, query: Query): Promise<Section[]> {
  const card = cards.parse(record);
  const of = { programId, cardId: card.entityId, currency: card.currency };
  const made = plastics.list(programId, card.entityId).then((stored) => toPlastics(card, stored));
  const [figures, held, happened, parts] = await Promise.all([
    cardFigures(programId, card),
    heldMoney(programId, card),
    timeline(of, card, made, query),
    cardParts(programId, card, made),
  ]);
  const onHold = card.issuerCardStatus === CardStatus.onHold ? ` ${onHoldNote}` : "";
  const told = { ...happened, summary: happened.summary + onHold };
  return [figures, ...(held ? [held] : []), told, ...parts];
}

async function cardFigures(programId: string, card: Card): Promise<Fields<"figures">> {
  const { entityId: cardId, cardholderId, currency, fundingWalletId, topUpBelowMinor } = card;
  const context = { kind: "cards", programId };
  const [holder, wallet, limit] = await Promise.all([
    ownerLink(programId, cardholderId),
    fundingWalletId === undefined ? undefined : ownerLink(programId, fundingWalletId),
    limitFigure(programId, card),
  ]);
  const amount = (name: string, minor: number) => ({
    name,
    value: { text: money(minor, currency), isNumber: true as const, href: journalHref(programId, cardId) },
  });
  const blocked: Cell = { text: "Blocked by the platform", tone: "bad" };
  const isBlocked = card.blockedAt !== undefined || card.cardholderBlockedAt !== undefined;
  return {
    kind: "figures",
    title: "At a glance",
    fields: [
      { name: "Holder", value: { ...holder, text: holder.text.replace(/^Cardholder /, "") } },
      { name: "Last four", value: { text: `•••• ${card.lastFour}` } },
      {
        name: "Status",
        value: isBlocked ? blocked : toCell(context, "issuerCardStatus", card.issuerCardStatus),
      },
      ...(wallet ? [{ name: "Spends from", value: wallet }] : []),
      ...(limit ? [limit] : []),
      amount("Available", card.availableMinor),
      amount("Held", card.heldMinor + (card.fundedHeldMinor ?? 0)),
      amount("Ledger", card.ledgerMinor),
      ...(card.pendingDepositMinor === 0 ? [] : [amount("Pending deposits", card.pendingDepositMinor)]),
      ...(topUpBelowMinor === undefined ? [] : [amount("Topped up below", topUpBelowMinor)]),
    ],
  };
}

/** What it has spent of its limit in the present window, if it has one. */
async function limitFigure(programId: string, card: Card) {
  const { limit } = toFunding(card) ?? {};
  if (!limit) return undefined;
  const { entityId: cardId, currency } = card;
  const usage = await readUsage(programId, cardId);
  const { amount: usedMinor } = usedAt(usage, toLimitControl(cardId, limit), now().getTime());
  const amounts = [usedMinor, limit.amountMinor].map((minor) => money(minor, currency)).join(" of ");
  return { name: "Spend limit", value: { text: `${amounts}, ${limit.window}` } };
}

const topUpFields = toNames("active walletId thresholdMinor amountMinor dailyMaxMinor usedMinor lackedAt");
const tokenColumns = toNames("createdAt wallet network state activatedAt endedAt tokenId");

/** Its plastics, wallet tokens and top-up, where there are some. */
async function cardParts(
  programId: string,
  card: Card,
  reading: Promise<readonly Plastic[]>,
): Promise<Section[]> {
  const { entityId: cardId, currency } = card;
  const [allPlastics, storedTokens, topUp] = await Promise.all([
    reading,
    readTokenKeys(programId, [cardId]).then(readBatch),
    topUps.at(programId, cardId).get(),
  ]);
  const paying = storedTokens.map((item) => tokens.parse(item));
  const context = { kind: "cards", programId, currency };
  return [
    plasticChain(programId, card, allPlastics),
    ...(paying.length > 0
      ? [itemTable("Tokens of wallets", { kind: "tokens", programId }, tokenColumns, paying)]
      : []),
    ...(topUp ? [toFields("Top-up", topUpFields, topUp, context)] : []),
  ];
}

/** The timeline below is what the page is for. */
const shownHolds = 10;

/** Which authorizations hold a Card's money, until when; undefined if none does. */
async function heldMoney(programId: string, card: Card): Promise<Table | undefined> {
  const { entityId: cardId, currency, fundedHeldMinor = 0 } = card;
  const allMinor = card.heldMinor + fundedHeldMinor;
  if (allMinor === 0) return undefined;
  const open = await findOpen({ programId, cardId }, allMinor);
  const foundMinor = sumHeld(open);
  const rest = allMinor - foundMinor;
  const more = rest === 0 ? "" : ` ${money(rest, currency)} are of older ones, or wait for an answer.`;
  const many = open.length === 1 ? "1 authorization holds" : `${open.length} authorizations hold`;
  const rows = open.slice(0, shownHolds).map((hold): Cell[] => [
    { time: hold.createdAt },
    { text: hold.merchant.merchantName ?? "–" },
    {
      text: money(heldMinor(hold), currency),
      isNumber: true,
      href: amountHref("holds", { programId, record: hold }),
    },
    { time: timestamp(holdDueAt(hold)) },
    holdLink(programId, hold.authorizationId),
  ]);
  const summary = `${many} ${money(foundMinor, currency)}: the merchant has asked, and not taken it yet. At the end of the time it is free again.${more}`;
  const all = toHref(["programs", programId, "cards", cardId, "holds"]);
  const link =
    open.length > shownHolds ? [{ text: "All of them, and those that have ended", href: all }] : undefined;
  const columns = ["Since", "Merchant", "Held", "Until", "Authorization"];
  return toTable("Why money is held", columns, rows, summary, link);
}

/** Processors name authorizations as they like. */
export function holdLink(programId: string, authorizationId: string): Link {
  return { text: authorizationId, href: toHref(["programs", programId, "holds", authorizationId]) };
}

const sumHeld = (all: readonly Hold[]) => all.reduce((sum, hold) => sum + heldMinor(hold), 0);
const mostPages = 20;

/** The newest transactions lead to them, until all that is held is found. */
async function findOpen(of: OfCard, allMinor: number): Promise<Hold[]> {
  const open = new Map<string, Hold>();
  let from: string | undefined = "";
  for (let pages = 0; from !== undefined && pages < mostPages; pages += 1) {
    const page = await usedHolds(of, from);
    for (const hold of page.used) if (heldMinor(hold) > 0) open.set(hold.authorizationId, hold);
    from = sumHeld([...open.values()]) < allMinor ? page.next : undefined;
  }
  return [...open.values()];
}

const pageSize = 50;
/** Transactions that are read for a page. */
const patience = 2_000;

/** A page of a Card's authorizations, by the transactions that they left: the last used first. */
async function usedHolds({ programId, cardId }: OfCard, from: string) {
  const ids = new Set<string>();
  const { next } = await walkItems({
    parts: [
      { pk: transactions.key(programId, cardId, "").pk, begin: `TRANSACTION#${idStart("transaction")}` },
    ],
    ...{ from, isAscending: false, limit: pageSize, patience },
    isWanted: ({ authorizationId: id }) => typeof id === "string" && !ids.has(id) && Boolean(ids.add(id)),
  });
  const items = await readBatch([...ids].map((id) => holds.at(programId, id).key));
  const byId = new Map(items.map((item) => [item.authorizationId, holds.parse(item)]));
  return { used: [...ids].flatMap((id) => byId.get(id) ?? []), next };
}

const holdColumns = toNames(
  "createdAt merchant.merchantName outstandingMinor dueAt closedBy cardId authorizationId",
);

export async function cardHoldsPage(programId: string, cardId: string, query: Query): Promise<Page> {
  const [program, { used, next }] = await Promise.all([
    readProgram(programId),
    usedHolds({ programId, cardId }, query.get("from") ?? ""),
  ]);
  const records = used.map((hold) => {
    return { ...hold, outstandingMinor: heldMinor(hold), dueAt: hold.dueAt?.split("#")[0] };
  });
  const context = { kind: "holds", programId, currency: program?.currency };
  const table = itemTable("Authorizations", context, holdColumns, records, {
    cells: { authorizationId: ({ authorizationId }) => holdLink(programId, authorizationId) },
    summary: `${counted(records.length, "authorization")}, the last used first.`,
    more: linkOn("Earlier ones", ["programs", programId, "cards", cardId, "holds"], next),
    of: (record) => ({ amountHref: amountHref("holds", { programId, record }) }),
  });
  return { title: "Holds", trail: await programTrail(programId, cardId), sections: [table] };
}

interface OfCard {
  readonly programId: string;
  readonly cardId: string;
}

function plasticHref({ programId, cardId }: OfCard, plasticId: string): string {
  return toHref(["programs", programId, "cards", cardId, "plastics", plasticId]);
}

/** As people of support need it: of what a merchant or a Cardholder has, what became of it. */
function toShown(card: Card, plastic: Plastic) {
  const { lastFour, expiryYear, expiryMonth, shipping } = plastic;
  const expires = `${String(expiryMonth).padStart(2, "0")}/${expiryYear}`;
  return { ...plastic, ...toPlasticView(card, plastic), expires, lastFour: `•••• ${lastFour}`, shipping };
}

const plasticColumns = toNames(
  "sequence dateCreated lastFour expires reason state dateActivated activateBy dateEnded plasticId",
);

/** The chain of a Card, the newest first; each leads to its page. */
function plasticChain(programId: string, card: Card, all: readonly Plastic[]): Table {
  const of = { programId, cardId: card.entityId };
  const shown = all.map((plastic) => toShown(card, plastic)).toReversed();
  return itemTable("Plastics", { kind: "plastics", programId }, plasticColumns, shown, {
    cells: { plasticId: ({ plasticId }) => ({ text: plasticId, href: plasticHref(of, plasticId) }) },
    summary: `${shown.length}, the newest first.`,
  });
}

const plasticFields = toNames(`plasticId cardId sequence reason state stoppedFor lastFour expires
  shipping.status shipping.carrier shipping.updatedAt dateCreated activateBy dateActivated dateEnded`);
const updateColumns = toNames("createdAt kind expiryMonth expiryYear entityId");

/** One plastic, those before and after it, and what merchants were told of the Card's numbers. */
export async function plasticPage(programId: string, cardId: string, plasticId: string): Promise<Page> {
  const [card, stored, told, trail] = await Promise.all([
    cards.at(programId, cardId).get(),
    plastics.list(programId, cardId),
    accountUpdates.list(programId, cardId),
    programTrail(programId, cardId),
  ]);
  const all = card ? toPlastics(card, stored) : [];
  const place = all.findIndex((one) => one.plasticId === plasticId);
  const plastic = all[place];
  if (!card || !plastic) throw new NotFound(`${cardId} has no plastic ${plasticId}.`);
  const context = { kind: "plastics", programId };
  const shown = toShown(card, plastic);
  const toBeside = (what: string, one: Plastic | undefined) =>
    one ? [{ text: `${what}: ${nameOf(one)}`, href: plasticHref({ programId, cardId }, one.plasticId) }] : [];
  return {
    title: `Plastic ${nameOf(plastic)}`,
    trail,
    sections: [
      toFields(`Plastic ${place + 1} of ${all.length}`, plasticFields, shown, context),
      ...toLinks("The chain", [
        ...toBeside("Before it", all[place - 1]),
        ...toBeside("After it", all[place + 1]),
      ]),
      plasticChain(programId, card, all),
      ...(told.length > 0
        ? [itemTable("Account updates", { kind: "accountUpdates", programId }, updateColumns, told)]
        : []),
    ],
  };
}

function nameOf({ lastFour, expiryMonth, expiryYear }: Plastic): string {
  return `•••• ${lastFour}, ${String(expiryMonth).padStart(2, "0")}/${expiryYear}`;
}

/** How many entries of the audit log are read: those of the moments after it was made. */
const auditPatience = 1_000;

/**
 * A Card's first plastic has the Card's own ULID. A later one stands in the audit log, in the entry
 * that was written with it.
 */
export async function findPlastic(plasticId: string, programId: string): Promise<Link[]> {
  const first = toOtherId("card", plasticId);
  const cardId = (await cards.at(programId, first).get()) ? first : await findAudited(programId, plasticId);
  if (cardId === undefined) return [];
  const href = plasticHref({ programId, cardId }, plasticId);
  return [{ text: `Plastic ${plasticId} of ${cardId}`, href }];
}

async function findAudited(programId: string, plasticId: string): Promise<string | undefined> {
  const program = await readProgram(programId);
  const madeAt = idTime(plasticId);
  if (!program || Number.isNaN(madeAt.getTime())) return undefined;
  const { items } = await walkItems({
    parts: [{ pk: auditEntries.key(program.tenantId, "").pk, begin: "AUDIT#aud_" }],
    tableName: environment.accountsTable,
    from: earliestChangeId(new Date(madeAt.getTime() - 1_000)),
    isAscending: true,
    limit: 1,
    patience: auditPatience,
    isWanted: ({ action, after }) =>
      (action === "replace" || action === "renew") && Object(after).plasticId === plasticId,
  });
  return items[0] && String(items[0].subjectId);
}
