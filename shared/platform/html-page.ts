/** Pages to read, print or keep: one file without scripts, which loads nothing. */
import { Currency, currencyNames, numericCurrency } from "../contract/enums.ts";

export type PageRow = readonly (string | number)[];

const style = `
:root { color-scheme: light dark; --line: #767676; --faint: #f2f2f2; --bad: #a4000f; --good: #0b6627 }
@media (prefers-color-scheme: dark) { :root { --line: #8c8c8c; --faint: #2a2a2a; --bad: #ff9a9a; --good: #7fdb98 } }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 80rem; margin: 0 auto; padding: 1rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; margin: 1rem 0; width: 100% }
caption { text-align: left; font-weight: 600; padding: .25rem 0 }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .5rem; text-align: left; vertical-align: top }
thead th { background: var(--faint) }
.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
.bad { color: var(--bad) } .good { color: var(--good) }
`;

/** `body` is HTML. */
export function toHtmlPage(title: string, body: string, moreStyle = ""): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${style}${moreStyle}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** `numbers` are the columns with numbers. */
export function toHtmlTable(
  caption: string,
  head: readonly string[],
  rows: readonly PageRow[],
  numbers: readonly number[],
) {
  if (rows.length === 0) return `<p>${caption}: none.</p>`;
  const css = (index: number) => (numbers.includes(index) ? ' class="number"' : "");
  const top = head.map((text, index) => `<th scope="col"${css(index)}>${escapeHtml(text)}</th>`).join("");
  const body = rows.map((row) => {
    const cells = row.map((value, index) =>
      index === 0
        ? `<th scope="row">${escapeHtml(String(value))}</th>`
        : `<td${css(index)}>${escapeHtml(String(value))}</td>`,
    );
    return `<tr>${cells.join("")}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(caption)}"><table>
<caption>${escapeHtml(caption)}</caption>
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

/** `currency`: its name, or its numeric code. */
export function toDecimal(amountMinor: number, currency: string): string {
  const sign = amountMinor < 0 ? "−" : "";
  return `${sign}${(Math.abs(amountMinor) / 100).toFixed(2)} ${names.get(currency) ?? currency}`;
}

export function toHtmlTime(at: string): string {
  const [day = "", time = ""] = at.split("T");
  return `<time datetime="${escapeHtml(at)}">${escapeHtml(`${day} ${time.slice(0, 8)} UTC`)}</time>`;
}

const entities = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" } as const;

/** What others have written is text on a page. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character as keyof typeof entities]);
}
