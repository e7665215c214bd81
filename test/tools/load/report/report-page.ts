import { readFileSync } from "node:fs";
import { escapeHtml } from "./chart.ts";

const style = readFileSync(new URL("./style.css", import.meta.url), "utf8");

export type Fact = readonly [name: string, value: string, isGood: boolean];

interface ReportPage {
  readonly title: string;
  readonly startedAt: Date;
  /** Beside the time. */
  readonly note?: string;
  readonly facts: readonly Fact[];
  /** In HTML. */
  readonly sections: readonly string[];
  readonly figures: unknown;
}

/** One HTML file that loads nothing. The figures are in it as JSON, too. */
export function renderReportPage({
  title,
  startedAt,
  note = "",
  facts,
  sections,
  figures,
}: ReportPage): string {
  const summary = facts.map(
    ([name, value, isGood]) =>
      `<div${isGood ? "" : ' class="bad"'}><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`,
  );
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark">
<title>${title} of ${startedAt.toISOString()}</title>
<style>
${style}</style>
</head>
<body>
<header><h1>${title}</h1><p>${startedAt.toISOString()}${note}</p></header>
<dl class="summary">${summary.join("")}</dl>
${sections.join("\n")}
<script type="application/json" id="figures">${JSON.stringify(figures).replaceAll("<", "\\u003c")}</script>
</body>
</html>
`;
}

/** Nothing if there are no lines. */
export function listSection(title: string, lines: readonly string[]): string {
  const items = lines.map((line) => `<li>${escapeHtml(line)}</li>`);
  return lines.length === 0 ? "" : `<section><h2>${title}</h2><ul>${items.join("")}</ul></section>`;
}
