import { escapeHtml, formatNumber, lineChart, rangeChart, type Series } from "../load/report/chart.ts";
import { type Fact, listSection, renderReportPage } from "../load/report/report-page.ts";
import { type Compared, type ComparedFigure, ratiosOf, tableOf } from "./compare.ts";
import { medianInterval } from "./median-interval.ts";
import type { Table } from "./report.ts";

export interface BenchResult {
  readonly startedAt: Date;
  /** What `--before` named. */
  readonly before: string | undefined;
  readonly seconds: number;
  readonly compared: readonly Compared[];
  readonly tables: readonly Table[];
  readonly broken: readonly string[];
}

export function renderBenchPage(result: BenchResult): string {
  const { startedAt, before, seconds, compared, tables, broken } = result;
  const facts: Fact[] = [
    ["Limits", broken.length === 0 ? "all kept" : `${broken.length} broken`, broken.length === 0],
    ["Before", before ?? "not given", true],
    ["Minutes", formatNumber(seconds / 60), true],
  ];
  const sections = [
    `<p>Both sides are measured in turn, in neighbouring pairs. An interval has the median in it with 95 %, if there are at least
six pairs. A limit is broken only if the whole interval is beyond it.</p>`,
    listSection("Broken limits", broken),
    overview(compared),
    ...compared.map(section),
    ...tables.map((table) => tableSection(table)),
  ];
  return renderReportPage({ title: "Bench", startedAt, facts, sections, figures: result });
}

/** All ratios in one plot. */
function overview(compared: readonly Compared[]): string {
  const rows = compared.flatMap(({ name, figures }) =>
    figures.flatMap((figure) => {
      const ratios = ratiosOf(figure);
      if (ratios.length === 0) return [];
      const { ratio, broken } = figure;
      const limit = ratio && ("most" in ratio ? ratio.most : ratio.least);
      return {
        name: `${name}: ${figure.name}`,
        ...medianInterval(ratios),
        limit,
        isBad: broken !== undefined,
      };
    }),
  );
  if (rows.length === 0) return "";
  return `<section><h2>Now to before</h2><div class="charts">${rangeChart("now to before", rows)}</div></section>`;
}

function section(one: Compared): string {
  const charts = one.figures.map((figure) => pairChart(figure, one.base));
  return tableSection(tableOf(one), `<div class="charts">${charts.join("\n")}</div>`);
}

/** Each pair, with the limit: of now, or the ratio's of the median before. */
function pairChart({ name, unit, before, now, ratio, value }: ComparedFigure, base: string): string {
  const series = (title: string, colour: Series["colour"], values: readonly number[]): Series => ({
    name: title,
    colour,
    points: values.map((one, index) => [index + 1, one]),
  });
  const limits = [
    value && ("most" in value ? value.most : value.least),
    ratio && before.length > 0
      ? medianInterval(before).median * ("most" in ratio ? ratio.most : ratio.least)
      : undefined,
  ].filter((one) => one !== undefined);
  if (Math.max(before.length, now.length) < 2) return "";
  return lineChart({
    title: name,
    unit,
    seconds: Math.max(before.length, now.length),
    timeUnit: "pairs",
    bands: [],
    series: [...(before.length > 0 ? [series(base, 2, before)] : []), series("now", 1, now)],
    ...(limits[0] !== undefined && { limit: limits[0] }),
  });
}

function tableSection({ title, columns, rows }: Table, below = ""): string {
  const heads = columns.map((name) => `<th>${escapeHtml(name)}</th>`);
  const lines = rows.map(({ cells, broken }) => {
    const each = cells.map((cell) => `<td>${escapeHtml(String(cell))}</td>`);
    return `<tr${broken === undefined ? "" : ' class="bad"'}>${each.join("")}</tr>`;
  });
  return `<section><h2>${escapeHtml(title)}</h2><div class="scroll"><table><thead><tr>${heads.join("")}</tr></thead><tbody>${lines.join("\n")}</tbody></table></div>
${below}</section>`;
}
