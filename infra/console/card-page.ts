import { type Hold, holds } from "../../shared/authorizations/holds/hold.ts";
import { heldMinor, holdDueAt } from "../../shared/authorizations/holds/hold-rules.ts";
import { type Card, cards, toFunding } from "../../shared/cards/card.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { readUsage, toLimitControl } from "../../shared/controls/spend-limit.ts";
import { usedAt } from "../../shared/controls/usage.ts";
import { type Plastic, plastics, toPlastics } from "../../shared/plastics/plastic.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { idStart } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import { readTokenKeys, tokens } from "../../shared/tokens/token.ts";
import { topUps } from "../../shared/top-ups/top-up.ts";
import { transactions } from "../../shared/transactions/transaction.ts";
import { amountHref, journalHref } from "./journal.ts";
import {
  type Cell,
  type Fields,
  type Item,
  type Query,
  type Section,
  type Table,
  toHref,
  toTable,
} from "./page.ts";
import { plasticChain } from "./plastic-page.ts";
import { itemTable, toFields, toNames } from "./record-fields.ts";
import { timeline } from "./timeline.ts";
import { ownerLink } from "./trails.ts";
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

/** Transactions that are read on the way back to the oldest open authorization. */
const patience = 2_000;
const atOnce = 50;
/** The timeline below is what the page is for. */
const shown = 10;

/** Which authorizations hold a Card's money, until when; undefined if none does. */
export async function heldMoney(programId: string, card: Card): Promise<Table | undefined> {
  const { entityId: cardId, currency, fundedHeldMinor = 0 } = card;
  const allMinor = card.heldMinor + fundedHeldMinor;
  if (allMinor === 0) return undefined;
  const open = await findOpen(programId, cardId, allMinor);
  const foundMinor = open.reduce((sum, hold) => sum + heldMinor(hold), 0);
  const rest = allMinor - foundMinor;
  const more = rest === 0 ? "" : ` ${money(rest, currency)} are of older ones, or wait for an answer.`;
  const many = open.length === 1 ? "1 authorization holds" : `${open.length} authorizations hold`;
  const rows = open.slice(0, shown).map((hold): Cell[] => [
    { time: hold.createdAt },
    { text: hold.merchant.merchantName ?? "–" },
    {
      text: money(heldMinor(hold), currency),
      isNumber: true,
      href: amountHref("holds", { programId, record: hold }),
    },
    { time: timestamp(holdDueAt(hold)) },
    { text: hold.authorizationId, href: toHref(["programs", programId, "holds", hold.authorizationId]) },
  ]);
  const summary = `${many} ${money(foundMinor, currency)}: the merchant has asked, and not taken it yet. At the end of the time it is free again.${more}`;
  const all = toHref(["programs", programId, "cards", cardId, "holds"]);
  const link =
    open.length > shown ? [{ text: "All of them, and those that have ended", href: all }] : undefined;
  const columns = ["Since", "Merchant", "Held", "Until", "Authorization"];
  return toTable("Why money is held", columns, rows, summary, link);
}

/** The newest transactions lead to them, until all that is held is found. */
async function findOpen(programId: string, cardId: string, allMinor: number): Promise<Hold[]> {
  const { pk } = transactions.key(programId, cardId, "");
  const query = toPartitionQuery(pk, `TRANSACTION#${idStart("transaction")}`);
  const open = new Map<string, Hold>();
  const seen = new Set<string>();
  let waiting: string[] = [];
  let read = 0;
  const look = async () => {
    for (const item of await readBatch(waiting.map((id) => holds.at(programId, id).key))) {
      const hold = holds.parse(item);
      if (heldMinor(hold) > 0) open.set(hold.authorizationId, hold);
    }
    waiting = [];
    return [...open.values()].reduce((sum, hold) => sum + heldMinor(hold), 0) >= allMinor;
  };
  for await (const { authorizationId } of readItems({ ...query, ScanIndexForward: false, Limit: 200 })) {
    read += 1;
    if (typeof authorizationId === "string" && !seen.has(authorizationId)) {
      seen.add(authorizationId);
      waiting.push(authorizationId);
    }
    if (waiting.length === atOnce && (await look())) break;
    if (read === patience) break;
  }
  await look();
  return [...open.values()];
}
