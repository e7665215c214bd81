import { currencyNames, TransactionStatus } from "../../shared/contract/enums.ts";
import type { VolumeGroup, VolumeRow, VolumeSubject, VolumesView } from "../../shared/contract/reports.ts";
import {
  escapeHtml,
  type PageRow,
  toDecimal,
  toHtmlPage,
  toHtmlTable,
  toHtmlTime,
} from "../../shared/platform/html-page.ts";
import { summedAmounts } from "../../shared/reports/volumes.ts";

const titles: Readonly<Record<VolumeGroup, string>> = {
  day: "Day",
  mcc: "Merchant category",
  status: "Status",
};

/** Who is counted, and the two amounts. */
const columns: Readonly<Record<VolumeSubject, readonly [string, string, string]>> = {
  transactions: ["Transactions", "Debits", "Credits"],
  authorizations: ["Authorizations", "Requested", "Cleared"],
};

const style = `
:root { --first: #1f5fa8; --second: #a65a00 }
@media (prefers-color-scheme: dark) { :root { --first: #7fb4ee; --second: #f0b060 } }
svg { width: 100%; height: auto; max-height: 22rem; display: block }
svg text { font: 12px system-ui, sans-serif; fill: currentColor }
.first { fill: var(--first) } .second { fill: var(--second) }
figure { margin: 1.5rem 0 } figcaption { font-weight: 600 }
.key i { display: inline-block; width: .8em; height: .8em; margin: 0 .3em 0 1em; background: var(--first) }
.key i.is-second { background: var(--second) }
`;

/** A plot for each group, and the figures below it. */
export function toVolumesPage(volumes: VolumesView, of: VolumeSubject, groupBy: readonly VolumeGroup[]) {
  const { from, to, timeZone, asOf, rows, total, currency } = volumes;
  const money = (amount: number) => toDecimal(amount, currencyNames[currency]);
  const [, firstName, secondName] = columns[of];
  const [first, second] = summedAmounts(of);
  const amounts = (row: Partial<Record<typeof first, number | undefined>>) =>
    [row[first] ?? 0, row[second] ?? 0] as const;
  const head = [...groupBy.map((group) => titles[group]), ...columns[of]];
  const toCells = (row: VolumeRow): PageRow => [
    ...groupBy.map((group) => nameOf(group, row)),
    ...[row.count, ...amounts(row).map(money)],
  ];
  const label = groupBy.map((_, index) => (index === 0 ? "Total" : ""));
  const sum: PageRow = [...label, total.count, ...amounts(total).map(money)];
  const numbers = [0, 1, 2].map((index) => groupBy.length + index);
  const figures = [...rows.map(toCells), sum];
  return toHtmlPage(
    "Volumes",
    `<p>${escapeHtml(timeZone)}: from ${toHtmlTime(from)} up to ${toHtmlTime(to)}. As of ${toHtmlTime(asOf)}.</p>
<p class="key"><i></i>${firstName}<i class="is-second"></i>${secondName}</p>
${groupBy.map((group) => plot(group, sumUp(rows, group, amounts), [firstName, secondName], money)).join("\n")}
${toHtmlTable("Figures", head, figures, numbers)}`,
    style,
  );
}

function nameOf(group: VolumeGroup, row: VolumeRow): string {
  if (group === "status") return statusNames.get(row.status) ?? String(row.status);
  return (group === "day" ? row.day : row.mcc) ?? "none";
}

const statusNames = new Map<VolumeRow["status"], string>(
  Object.entries(TransactionStatus).map(([name, code]) => [code, name]),
);

interface Bar {
  readonly name: string;
  first: number;
  second: number;
}

/** The rows of each value of a group, whatever else they are grouped by. */
function sumUp(
  rows: readonly VolumeRow[],
  group: VolumeGroup,
  amounts: (row: VolumeRow) => readonly [number, number],
): Bar[] {
  const bars = new Map<string, Bar>();
  for (const row of rows) {
    const name = nameOf(group, row);
    const bar = bars.get(name) ?? { name, first: 0, second: 0 };
    bars.set(name, bar);
    const [first, second] = amounts(row);
    bar.first += first;
    bar.second += second;
  }
  return [...bars.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1));
}

const [width, height, left, right, top, bottom] = [960, 280, 110, 40, 16, 28];

/** Two bars side by side for each value. A reader of the page hears its summary, and the table. */
function plot(
  group: VolumeGroup,
  bars: readonly Bar[],
  [firstName, secondName]: readonly [string, string],
  money: (amount: number) => string,
): string {
  if (bars.length === 0) return "";
  const most = Math.max(1, ...bars.flatMap(({ first, second }) => [first, second]));
  const toHeight = (amount: number) => ((height - top - bottom) * amount) / most;
  const step = (width - left - right) / bars.length;
  const barWidth = Math.min(28, step * 0.42);
  const every = Math.ceil(bars.length / 10);
  const drawn = bars.map(({ name, first, second }, index) => {
    const x = left + step * (index + 0.5);
    const bar = (kind: string, amount: number, at: number) => {
      const size = toHeight(amount);
      const place = `x="${at.toFixed(1)}" y="${(height - bottom - size).toFixed(1)}"`;
      return `<rect class="${kind}" ${place} width="${barWidth.toFixed(1)}" height="${size.toFixed(1)}"/>`;
    };
    const label = `<text x="${x.toFixed(1)}" y="${height - 8}" text-anchor="middle">${escapeHtml(name)}</text>`;
    const told = `${name}: ${firstName.toLowerCase()} ${money(first)}, ${secondName.toLowerCase()} ${money(second)}`;
    const both = bar("first", first, x - barWidth) + bar("second", second, x);
    return `<g><title>${escapeHtml(told)}</title>${both}${index % every === 0 ? label : ""}</g>`;
  });
  const lines = [0, 0.5, 1].map((share) => {
    const y = height - bottom - toHeight(share * most);
    const text = `<text x="${left - 8}" y="${y + 4}" text-anchor="end">${escapeHtml(money(Math.round(share * most)))}</text>`;
    return `<line x1="${left}" x2="${width}" y1="${y}" y2="${y}" stroke="var(--line)" stroke-width=".5"/>${text}`;
  });
  const title = `By ${titles[group].toLowerCase()}`;
  return `<figure><figcaption>${title}</figcaption>
<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${title}: the figures are in the table">
${lines.join("")}
${drawn.join("\n")}
</svg></figure>`;
}
