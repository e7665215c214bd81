import { Currency, currencyNames, numericCurrency } from "../../shared/contract/enums.ts";
import type { Reconciled, SettlementView } from "../../shared/contract/settlements.ts";

type Difference = Reconciled["missing"][number] | Reconciled["doubled"][number];
type Differing = Reconciled["differing"][number];
type Row = readonly (string | number)[];

const style = `
:root { color-scheme: light dark; --line: #767676; --faint: #f2f2f2; --bad: #a4000f; --good: #0b6627 }
@media (prefers-color-scheme: dark) { :root { --line: #8c8c8c; --faint: #2a2a2a; --bad: #ff9a9a; --good: #7fdb98 } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 90rem; margin: 0 auto; padding: 1rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0; width: 100% }
caption { text-align: left; font-weight: 600; padding: .25rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top }
thead th { background: var(--faint) }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bad { color: var(--bad) } .good { color: var(--good) }
`;

/** A day's settlement to read, print or keep: one file without scripts, which loads nothing. */
export function toPage(settlement: SettlementView): string {
  const { date, timeZone, start, end, status, progressPercent, asOf, source, files } = settlement;
  const title = `Settlement of ${date}`;
  const from =
    source === "files" ? files.map(({ fileId, records }) => `${fileId} (${records})`).join(", ") : "events";
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(title)}</h1>
<p>${escaped(timeZone)}: from ${time(start)} up to ${time(end)}. As of ${time(asOf)}.
The network’s side: ${escaped(from)}.</p>
${status === "done" ? "" : `<p class="bad" role="status">The report is ${status}: ${progressPercent} %. What follows is not complete.</p>`}
${totals(settlement)}
${verdict(settlement.reconciliation)}
${differences(settlement.reconciliation)}
${matching(settlement)}
</main>
</body>
</html>
`;
}

function totals({ gross, interchange, net, disputes, fees, transactions, currency }: SettlementView): string {
  const money = (amount: number) => decimal(amount, currencyNames[currency]);
  const rows: Row[] = [
    ["Gross", money(gross)],
    ["Interchange", money(interchange)],
    ["Net: gross less interchange", money(net)],
    ["Disputes", money(disputes)],
    ["Fees of Cards", money(fees)],
    ["Transactions", transactions],
  ];
  return table("Totals", ["Sum", "Amount"], rows, [1]);
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
    table("Missing", head, missing.map(toRow), [4, 5]),
    table("Doubled", head, doubled.map(toRow), [4, 5]),
    table(
      "Differing",
      ["Side", "Reference code", "Transaction", "Stated", "Interchange", "Ledger", "Interchange", "Source"],
      differing.map(toPair),
      [3, 4, 5, 6],
    ),
  ].join("\n");
}

function toRow(one: Difference): Row {
  const { side, referenceCode, transId = "", type, amount, currency, interchange } = one;
  const { fileId, transIdSc } = one;
  const { webhookId, reason = "" } = { webhookId: undefined, reason: undefined, ...one };
  const source = [fileId, transIdSc, webhookId].filter((part) => part !== undefined).join(" ");
  const told = interchange === undefined ? "" : decimal(interchange, currency);
  return [side, referenceCode, transId, type, decimal(amount, currency), told, source, reason];
}

function toPair({
  side,
  referenceCode,
  transId = "",
  stated,
  ledger,
  fileId,
  transIdSc = "",
}: Differing): Row {
  const of = ({ type, amount, currency, interchange }: Differing["ledger"]) => [
    `${type} ${decimal(amount, currency)}`,
    interchange === undefined ? "" : decimal(interchange, currency),
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
  const money = (amount: number) => decimal(amount, currencyNames[currency]);
  const { settlements, correct, wrong, precision, recall, lost, wrongAmount } = score;
  const share = (part: number | undefined) => (part === undefined ? "–" : `${(part * 100).toFixed(2)} %`);
  const rows = lost.map(
    ({ rule, count, amount, difference }): Row => [rules[rule], count, money(amount), money(difference)],
  );
  return `<h2>Matching of holds</h2>
<p>Of ${settlements} settlements with a hold, the rules find ${correct}. ${wrong} are matched with another hold (${money(wrongAmount)}).
Precision ${share(precision)}, recall ${share(recall)}.</p>
${table("What the rules lose", ["Because", "Settlements", "Settled", "Difference"], rows, [1, 2, 3])}`;
}

function table(caption: string, head: readonly string[], rows: readonly Row[], numbers: readonly number[]) {
  if (rows.length === 0) return `<p>${caption}: none.</p>`;
  const css = (index: number) => (numbers.includes(index) ? ' class="number"' : "");
  const top = head.map((text, index) => `<th scope="col"${css(index)}>${escaped(text)}</th>`).join("");
  const body = rows.map((row) => {
    const cells = row.map((value, index) =>
      index === 0
        ? `<th scope="row">${escaped(String(value))}</th>`
        : `<td${css(index)}>${escaped(String(value))}</td>`,
    );
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(caption)}"><table>
<caption>${escaped(caption)}</caption>
<thead><tr>${top}</tr></thead>
<tbody>${body.join("\n")}</tbody>
</table></div>`;
}

const names = new Map(
  Object.values(Currency).map((currency): [string, string] => [
    numericCurrency[currency],
    currencyNames[currency],
  ]),
);

function decimal(amountMinor: number, currency: string): string {
  const sign = amountMinor < 0 ? "−" : "";
  return `${sign}${(Math.abs(amountMinor) / 100).toFixed(2)} ${names.get(currency) ?? currency}`;
}

const time = (at: string) => `<time datetime="${escaped(at)}">${escaped(at)}</time>`;

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" } as const;

/** References and ids of files are what others have written. */
function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character as keyof typeof entities]);
}
