import { type Card, cards, toFunding } from "../../shared/cards/card.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { readUsage, toLimitControl } from "../../shared/controls/spend-limit.ts";
import { usedAt } from "../../shared/controls/usage.ts";
import { type Plastic, plastics, toPlastics } from "../../shared/plastics/plastic.ts";
import { now } from "../../shared/platform/clock.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readTokenKeys, tokens } from "../../shared/tokens/token.ts";
import { topUps } from "../../shared/top-ups/top-up.ts";
import { toSteps } from "./card-steps.ts";
import { heldMoney } from "./held-money.ts";
import { itemTable } from "./item-table.ts";
import { journalHref } from "./journal.ts";
import type { Cell, Figures, Item, Query, Section } from "./page.ts";
import { plasticChain } from "./plastic-page.ts";
import { toFields, toNames } from "./record-fields.ts";
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
    timeline(
      of,
      made.then((all) => toSteps(card, all)),
      query,
    ),
    cardParts(programId, card, made),
  ]);
  const onHold = card.issuerCardStatus === CardStatus.onHold ? ` ${onHoldNote}` : "";
  const told = { ...happened, summary: happened.summary + onHold };
  return [figures, ...(held ? [held] : []), told, ...parts];
}

async function cardFigures(programId: string, card: Card): Promise<Figures> {
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
    figures: [
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
