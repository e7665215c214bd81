import { currencyNames } from "../../shared/contract/enums.ts";
import type { Reconciled, SettlementView } from "../../shared/contract/settlements.ts";
import {
  escapeHtml,
  type PageRow,
  toDecimal,
  toHtmlPage,
  toHtmlTable,
  toHtmlTime,
} from "../../shared/platform/html-page.ts";

type Difference = Reconciled["missing"][number] | Reconciled["doubled"][number];
type Differing = Reconciled["differing"][number];

/** A day's settlement to read, print or keep: one file without scripts, which loads nothing. */
export function toPage(settlement: SettlementView, programName: string): string {
  const { date, timeZone, start, end, status, progressPercent, asOf, source, files } = settlement;
  const title = `Settlement of ${date}`;
  const from =
    source === "files" ? files.map(({ fileId, records }) => `${fileId} (${records})`).join(", ") : "events";
  return toHtmlPage(
    title,
    `<p><strong>${escapeHtml(programName)}</strong>, ${escapeHtml(timeZone)}: from ${toHtmlTime(start)} up to ${toHtmlTime(end)}. As of ${toHtmlTime(asOf)}.
The network’s side: ${escapeHtml(from)}.</p>
${status === "done" ? "" : `<p class="bad" role="status">The report is ${status}: ${progressPercent} %. What follows is not complete.</p>`}
${verdict(settlement.reconciliation)}
${kinds(settlement)}
${totals(settlement)}
${differences(settlement.reconciliation)}
${matching(settlement)}`,
  );
}

function totals({ gross, interchange, net, disputes, fees, transactions, currency }: SettlementView): string {
  const money = (amount: number) => toDecimal(amount, currencyNames[currency]);
  const rows: PageRow[] = [
    ["Gross", money(gross)],
    ["Interchange", money(interchange)],
    ["Net: gross less interchange", money(net)],
    ["Disputes", money(disputes)],
    ["Fees of Cards", money(fees)],
    ["Transactions", transactions],
  ];
  return toHtmlTable("Totals", ["Sum", "Amount"], rows, [1]);
}

function verdict({ matched, otherDay, missing, doubled, differing, unlisted, webhooksCompared }: Reconciled) {
  const count = missing.length + doubled.length + differing.length + unlisted;
  const found = count === 0 ? "No differences." : `${count} differences.`;
  const more = unlisted > 0 ? ` ${unlisted} of them are not listed.` : "";
  const webhooks = webhooksCompared ? "" : " Webhooks were not compared.";
  return `<h2>Reconciliation</h2>
<p><strong class="${count === 0 ? "good" : "bad"}">${found}</strong>${more} ${matched} transactions match; ${otherDay} records belong to transactions of another day.${webhooks}</p>`;
}

const sides = {
  journal: "in the journal",
  ledger: "in the ledger",
  network: "at the network",
  webhook: "in webhooks",
} as const;

/** What is wrong with money comes before what was not told. */
const worstFirst = ["journal", "ledger", "network", "webhook"] as const;

interface Sum {
  readonly amount: number;
  readonly currency: string;
}

/** How many of each kind, and how much money: the worst first. */
function kinds({ reconciliation: { missing, doubled, differing, unlisted } }: SettlementView): string {
  const apart = differing.map(({ side, stated, ledger }) => {
    const isAlike = stated.currency === ledger.currency;
    const amount = isAlike ? stated.amount - ledger.amount : stated.amount;
    return { side, amount, currency: stated.currency };
  });
  const rows = worstFirst.flatMap((side): PageRow[] => [
    toKind(`Missing ${sides[side]}`, pickSide(missing, side)),
    toKind(`Doubled ${sides[side]}`, pickSide(doubled, side)),
    toKind(`Differing ${sides[side]}`, pickSide(apart, side)),
  ]);
  const found = rows.filter(([, count]) => count !== 0);
  const more: PageRow[] = unlisted > 0 ? [["Not listed", unlisted, ""]] : [];
  if (found.length + more.length === 0) return "";
  return toHtmlTable("Differences by kind", ["Kind", "Count", "Sum"], [...found, ...more], [1, 2]);
}

function pickSide<One extends { readonly side: string }>(all: readonly One[], side: string): One[] {
  return all.filter((one) => one.side === side);
}

/** Debits and credits do not cancel each other out, and currencies are not added up. */
function toKind(name: string, all: readonly Sum[]): PageRow {
  const sums = new Map<string, number>();
  for (const { amount, currency } of all) sums.set(currency, (sums.get(currency) ?? 0) + Math.abs(amount));
  return [name, all.length, [...sums].map(([currency, sum]) => toDecimal(sum, currency)).join(", ")];
}

/** Those with the most money first. */
function bySize<One>(all: readonly One[], toSize: (one: One) => number): One[] {
  return all.toSorted((one, other) => Math.abs(toSize(other)) - Math.abs(toSize(one)));
}

function differences({ missing, doubled, differing }: Reconciled): string {
  const head = ["Side", "Reference code", "Transaction", "Type", "Amount", "Interchange", "Source", "Reason"];
  return [
    toHtmlTable("Missing", head, bySize(missing, ({ amount }) => amount).map(toRow), [4, 5]),
    toHtmlTable("Doubled", head, bySize(doubled, ({ amount }) => amount).map(toRow), [4, 5]),
    toHtmlTable(
      "Differing",
      ["Side", "Reference code", "Transaction", "Stated", "Interchange", "Ledger", "Interchange", "Source"],
      bySize(differing, ({ stated, ledger }) => stated.amount - ledger.amount).map(toPair),
      [3, 4, 5, 6],
    ),
  ].join("\n");
}

function toRow(one: Difference): PageRow {
  const { side, referenceCode, transId = "", type, amount, currency, interchange } = one;
  const { fileId, transIdSc } = one;
  const { webhookId, reason = "" } = { webhookId: undefined, reason: undefined, ...one };
  const source = [fileId, transIdSc, webhookId].filter((part) => part !== undefined).join(" ");
  const told = interchange === undefined ? "" : toDecimal(interchange, currency);
  return [side, referenceCode, transId, type, toDecimal(amount, currency), told, source, reason];
}

function toPair({ side, referenceCode, transId = "", stated, ledger, fileId, transIdSc = "" }: Differing) {
  const of = ({ type, amount, currency, interchange }: Differing["ledger"]) => [
    `${type} ${toDecimal(amount, currency)}`,
    interchange === undefined ? "" : toDecimal(interchange, currency),
  ];
  return [side, referenceCode, transId, ...of(stated), ...of(ledger), fileId ?? transIdSc];
}

const rules = {
  amount: "the amounts differ by more than 0.5 %",
  amount_cross_currency: "the amounts differ by more than 2.5 %, in another currency",
  days: "more than three days lie between them",
  one_settlement: "another settlement of the authorization has its hold",
  closest: "another pair was closer",
} as const;

function matching({ matching: score, currency }: SettlementView): string {
  const money = (amount: number) => toDecimal(amount, currencyNames[currency]);
  const { settlements, correct, wrong, precision, recall, lost, wrongAmount } = score;
  const share = (part: number | undefined) => (part === undefined ? "–" : `${(part * 100).toFixed(2)} %`);
  const rows = lost.map(
    ({ rule, count, amount, difference }): PageRow => [rules[rule], count, money(amount), money(difference)],
  );
  return `<h2>Matching of holds</h2>
<p>Of ${settlements} settlements with a hold, the rules find ${correct}. ${wrong} are matched with another hold (${money(wrongAmount)}).
Precision ${share(precision)}, recall ${share(recall)}.</p>
${toHtmlTable("What the rules lose", ["Because", "Settlements", "Settled", "Difference"], rows, [1, 2, 3])}`;
}
