/** A named line. Points are [seconds, value]; undefined breaks the line. */
export interface Series {
  readonly name: string;
  /** Which of the page's colours. */
  readonly colour: 1 | 2 | 3;
  readonly points: readonly (readonly [number, number | undefined])[];
}

/** A shaded time with a label. */
export interface Band {
  readonly from: number;
  readonly to: number;
  readonly label: string;
}

interface Scale {
  readonly ticks: readonly number[];
  at(value: number): number;
}

interface ChartOptions {
  readonly title: string;
  readonly unit: string;
  readonly seconds: number;
  /** Of the axis below, by default seconds. */
  readonly timeUnit?: string;
  readonly bands: readonly Band[];
  readonly series: readonly Series[];
  readonly isLogarithmic?: boolean;
  /** Drawn as a dashed line. */
  readonly limit?: number;
  readonly isWide?: boolean;
}

const height = 220;
const narrowWidth = 470;
const wideWidth = 960;
const margin = { top: 22, right: 24, bottom: 30, left: 52 };

/** A line chart over the seconds of the load, as SVG with its legend. */
export function lineChart(options: ChartOptions): string {
  const { title, unit, seconds, bands, series, limit, isWide } = options;
  const width = isWide ? wideWidth : narrowWidth;
  const values = series.flatMap(({ points }) => points.flatMap(([, value]) => value ?? []));
  const y = options.isLogarithmic
    ? logarithmicScale([...values, limit ?? 1])
    : linearScale(Math.max(...values, limit ?? 0) || 1);
  const x = (at: number) => round(margin.left + (at / seconds) * (width - margin.left - margin.right));
  const lines = series.map(
    ({ colour, points }) => `<path class="line c${colour}" d="${pathOf(points, x, y.at)}"/>`,
  );
  const limitLine =
    limit === undefined
      ? ""
      : `<line class="limit" x1="${margin.left}" x2="${width - margin.right}" y1="${y.at(limit)}" y2="${y.at(limit)}"/>`;
  const names = series.map(({ name, colour }) => `<li><i class="c${colour}"></i>${escapeHtml(name)}</li>`);
  if (limit !== undefined) names.push(`<li><i class="limit"></i>limit ${formatNumber(limit)} ${unit}</li>`);
  return figure(title, unit, names, width, [
    bandsOf(bands, x),
    yAxis(y, width),
    timeAxis(seconds, x, options.timeUnit ?? "s"),
    limitLine,
    ...lines,
  ]);
}

/** A bar for each range; ranges grow by a constant factor. Marks are dashed lines. */
export function histogram(title: string, values: readonly number[], limit: number): string {
  const width = narrowWidth;
  const binsPerDecade = 6;
  const counts = Array.from({ length: 5 * binsPerDecade }, () => 0);
  for (const value of values) {
    const bin = Math.floor(Math.log10(Math.max(1, value)) * binsPerDecade);
    const index = Math.min(counts.length - 1, bin);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  const y = linearScale(Math.max(1, ...counts));
  const x = (bin: number) =>
    round(margin.left + (bin / counts.length) * (width - margin.left - margin.right));
  const bars = counts.map((count, bin) => {
    const top = y.at(count);
    const [from, to] = [bin, bin + 1].map((edge) => formatNumber(10 ** (edge / binsPerDecade)));
    return count === 0
      ? ""
      : `<rect class="bar" x="${x(bin) + 0.5}" width="${round(x(bin + 1) - x(bin) - 1)}" y="${top}" height="${round(y.at(0) - top)}"><title>${from} to ${to} ms: ${count}</title></rect>`;
  });
  const decades = [1, 10, 100, 1_000, 10_000, 100_000];
  const labels = decades.map(
    (ms, index) =>
      `<text class="tick" text-anchor="middle" x="${x(index * binsPerDecade)}" y="${height - 12}">${formatNumber(ms)}</text>`,
  );
  const limitAt = x(Math.log10(Math.max(1, limit)) * binsPerDecade);
  const mark = `<line class="limit" x1="${limitAt}" x2="${limitAt}" y1="${margin.top}" y2="${y.at(0)}"/>`;
  const names = [`<li><i class="c1"></i>count by milliseconds</li>`, `<li><i class="limit"></i>limit</li>`];
  return figure(title, "", names, width, [yAxis(y, width), ...labels, ...bars, mark]);
}

/** A value with its interval, and the limit of it. */
export interface Range {
  readonly name: string;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly limit: number | undefined;
  readonly isBad: boolean;
}

/** A row for each range on one logarithmic axis, with a line at 1. */
export function rangeChart(title: string, ranges: readonly Range[]): string {
  const [rowHeight, left] = [22, 330];
  const values = ranges.flatMap(({ low, high, limit }) => [low, high, limit ?? 1]);
  const [least, most] = [Math.min(0.5, ...values), Math.max(2, ...values)];
  const span = Math.log(most / least);
  const x = (value: number) =>
    round(left + (Math.log(value / least) / span) * (wideWidth - left - margin.right));
  const bottom = margin.top + ranges.length * rowHeight;
  const upright = (value: number, name: string, [top, end]: readonly [number, number]) =>
    `<line class="${name}" x1="${x(value)}" x2="${x(value)}" y1="${top}" y2="${end}"/>`;
  const steps = [0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20].filter(
    (one) => one >= least && one <= most,
  );
  const axis = steps.map(
    (one) => `${upright(one, "grid", [margin.top, bottom])}
<text class="tick" text-anchor="middle" x="${x(one)}" y="${bottom + 16}">${formatNumber(one)}</text>`,
  );
  const rows = ranges.map(({ name, low, median, high, limit, isBad }, index) => {
    const y = margin.top + (index + 0.5) * rowHeight;
    const colour = isBad ? "c2" : "c1";
    const mark = limit === undefined ? "" : upright(limit, "limit", [y - 9, y + 9]);
    return `<text class="tick" text-anchor="end" x="${left - 8}" y="${y + 4}">${escapeHtml(name)}</text>
<path class="line ${colour}" d="M${x(low)} ${y}L${x(high)} ${y}M${x(median)} ${y - 5}L${x(median)} ${y + 5}"><title>${formatNumber(low)} to ${formatNumber(high)}, median ${formatNumber(median)}</title></path>${mark}`;
  });
  const names = [`<li><i class="c1"></i>median and its interval</li>`, `<li><i class="limit"></i>limit</li>`];
  return figure(title, "", names, wideWidth, [...axis, ...rows], bottom + 24);
}

function figure(
  title: string,
  unit: string,
  names: readonly string[],
  width: number,
  parts: readonly string[],
  tall = height,
): string {
  const shape = width === wideWidth ? ' class="wide"' : "";
  const label = `${title}${unit ? `, ${unit}` : ""}`;
  return `<figure${shape}><figcaption>${escapeHtml(label)}</figcaption><ul class="legend">${names.join("")}</ul>
<svg viewBox="0 0 ${width} ${tall}" role="img" aria-label="${escapeHtml(label)}">${parts.join("\n")}</svg></figure>`;
}

function bandsOf(bands: readonly Band[], x: (at: number) => number): string {
  return bands
    .map(({ from, to, label }) => {
      const [left, right] = [x(from), x(to)];
      return `<rect class="band" x="${left}" width="${round(right - left)}" y="${margin.top}" height="${height - margin.top - margin.bottom}"><title>${escapeHtml(label)}</title></rect>
<text class="tick" text-anchor="middle" x="${round((left + right) / 2)}" y="${margin.top - 6}">${escapeHtml(shortLabel(label, right - left))}</text>`;
    })
    .join("\n");
}

/** Without room, the label is only in the tooltip. */
function shortLabel(label: string, width: number): string {
  return label.length * 6 <= width ? label : "";
}

function yAxis({ ticks, at }: Scale, width: number): string {
  return ticks
    .map(
      (tick) =>
        `<line class="grid" x1="${margin.left}" x2="${width - margin.right}" y1="${at(tick)}" y2="${at(tick)}"/>
<text class="tick" text-anchor="end" x="${margin.left - 6}" y="${at(tick) + 4}">${formatNumber(tick)}</text>`,
    )
    .join("\n");
}

function timeAxis(seconds: number, x: (at: number) => number, unit: string): string {
  return linearTicks(seconds)
    .map(
      (at) =>
        `<text class="tick" text-anchor="middle" x="${x(at)}" y="${height - 12}">${formatNumber(at)}${at === 0 ? ` ${unit}` : ""}</text>`,
    )
    .join("\n");
}

function pathOf(points: Series["points"], x: (at: number) => number, y: (value: number) => number): string {
  let isDrawing = false;
  return points
    .map(([at, value]) => {
      if (value === undefined) {
        isDrawing = false;
        return "";
      }
      const command = isDrawing ? "L" : "M";
      isDrawing = true;
      return `${command}${x(at)} ${y(value)}`;
    })
    .join("");
}

function linearScale(most: number): Scale {
  const ticks = linearTicks(most);
  const top = Math.max(most, ticks.at(-1) ?? most);
  return { ticks, at: (value) => yAt(value / top) };
}

/** Whole decades around the values. */
function logarithmicScale(values: readonly number[]): Scale {
  const low = Math.floor(Math.log10(Math.max(1, Math.min(...values))));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(1, ...values))));
  const ticks = Array.from({ length: high - low + 1 }, (_, index) => 10 ** (low + index));
  const at = (value: number) => yAt((Math.log10(Math.max(10 ** low, value)) - low) / (high - low));
  return { ticks, at };
}

function yAt(fraction: number): number {
  return round(height - margin.bottom - fraction * (height - margin.top - margin.bottom));
}

/** Round numbers from 0, at most six. */
function linearTicks(most: number): number[] {
  const rough = most / 5;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = decade * ([1, 2, 2.5, 5, 10].find((factor) => factor * decade >= rough) ?? 10);
  return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, index) =>
    Number((index * step).toPrecision(6)),
  );
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

/** Three significant digits, with separators. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return "–";
  return Number(value.toPrecision(3)).toLocaleString("en-GB", { maximumFractionDigits: 2 });
}

export function escapeHtml(text: string): string {
  const entities: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  return text.replace(/[&<>"]/g, (character) => entities[character] ?? character);
}
