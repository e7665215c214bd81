import { type Hold, holds } from "../../shared/authorizations/holds/hold.ts";
import { heldMinor, holdDueAt } from "../../shared/authorizations/holds/hold-rules.ts";
import type { Card } from "../../shared/cards/card.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { idStart } from "../../shared/platform/id.ts";
import { readBatch } from "../../shared/platform/table/batch.ts";
import { readItems, toPartitionQuery } from "../../shared/platform/table/query.ts";
import { transactions } from "../../shared/transactions/transaction.ts";
import { amountHref } from "./amounts.ts";
import { type Cell, type Table, toHref, toTable } from "./page.ts";
import { money } from "./values.ts";

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
      href: amountHref("holds", { programId, record: hold, owner: undefined }),
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
  const query = toPartitionQuery(pk, `TRANSACTION#${idStart("transaction")}`, environment.issuingTable);
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
