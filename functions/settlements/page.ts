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
export function toPage(settlement: SettlementView): string {
  const { date, timeZone, start, end, status, progressPercent, asOf, source, files } = settlement;
  const title = `Settlement of ${date}`;
  const from =
    source === "files" ? files.map(({ fileId, records }) => `${fileId} (${records})`).join(", ") : "events";
  return toHtmlPage(
    title,
    `<p>${escapeHtml(timeZone)}: from ${toHtmlTime(start)} up to ${toHtmlTime(end)}. As of ${toHtmlTime(asOf)}.
The network’s side: ${escapeHtml(from)}.</p>
${status === "done" ? "" : `<p class="bad" role="status">The report is ${status}: ${progressPercent} %. What follows is not complete.</p>`}
${totals(settlement)}
${verdict(settlement.reconciliation)}
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

function differences({ missing, doubled, differing }: Reconciled): string {
  const head = ["Side", "Reference code", "Transaction", "Type", "Amount", "Interchange", "Source", "Reason"];
  return [
    toHtmlTable("Missing", head, missing.map(toRow), [4, 5]),
    toHtmlTable("Doubled", head, doubled.map(toRow), [4, 5]),
    toHtmlTable(
      "Differing",
      ["Side", "Reference code", "Transaction", "Stated", "Interchange", "Ledger", "Interchange", "Source"],
      differing.map(toPair),
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

function toPair({
  side,
  referenceCode,
  transId = "",
  stated,
  ledger,
  fileId,
  transIdSc = "",
}: Differing): PageRow {
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
