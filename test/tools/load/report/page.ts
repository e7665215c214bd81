import { countErrors } from "../judge.ts";
import type { LoadOptions } from "../options.ts";
import type { LoadResult, Phase } from "../run.ts";
import { formatNumber } from "./chart.ts";
import { renderPlots } from "./plots.ts";
import { type Fact, listSection, renderReportPage } from "./report-page.ts";

/** The report: one HTML file that loads nothing. The figures are in it as JSON, too. */
export function renderPage(options: Pick<LoadOptions, "limits" | "seed">, result: LoadResult): string {
  const { startedAt, phases, found, samples, books, undelivered, repeated, moments } = result;
  const figures = {
    startedAt,
    seed: options.seed,
    limits: options.limits,
    found,
    phases,
    books,
    undelivered,
    repeated,
  };
  const errors = countErrors(samples);
  const sections = [
    `<p>Requests left by a schedule that did not wait for answers. A latency counts from the scheduled time; a webhook’s
from the answer of its request to the first byte at the receiver. A limit is kept if at most 1 % of a kind is later or
fails.</p>`,
    `<section><h2>Rates</h2>${phaseTable(phases)}</section>`,
    detailTable(phases),
    renderPlots({ ...result, moments }, options.limits),
    listSection(
      "Failed requests",
      errors.map(({ cause, count }) => `${count} × ${cause}`),
    ),
    listSection("Faults of the books", books.faults),
  ];
  const note = `, seed ${options.seed}`;
  return renderReportPage({ title: "Load", startedAt, note, facts: summary(result), sections, figures });
}

function summary({ found, phases, books, undelivered, repeated, samples, moments }: LoadResult): Fact[] {
  const requests = samples.filter(({ kind }) => kind !== "webhook");
  const webhooks = samples.length - requests.length;
  const failed = requests.filter(({ error }) => error !== undefined).length;
  const last = phases.at(-1);
  const rate = found === undefined ? last?.rate : found.kept;
  const memory = moments.at(-1)?.memoryBytes;
  const facts: Fact[] = [
    [
      found === undefined ? "Given rate" : "Highest rate within the limits",
      rate === undefined ? "none" : `${formatNumber(rate)}/s`,
      last?.isKept === true,
    ],
    ["Requests", `${requests.length}, ${failed} failed`, true],
    ["Webhooks", `${webhooks}, ${undelivered} missing, ${repeated} repeated`, undelivered === 0],
    [
      "Books",
      books.faults.length === 0 ? `in order, ${books.entries} entries` : `${books.faults.length} faults`,
      books.faults.length === 0,
    ],
  ];
  if (memory !== undefined) facts.push(["Memory at the end", `${Math.round(memory / 1024 ** 2)} MB`, true]);
  return facts;
}

/** p99 of each kind at each rate. */
function phaseTable(phases: readonly Phase[]): string {
  const kinds =
    phases[0]?.figures.map(({ kind, limit }) => `<th>${kind}<br>≤ ${formatNumber(limit)}</th>`) ?? [];
  const rows = phases.map((phase) => {
    const { name, rate, startMs, endMs, sent, worstLagMs, figures, isKept, isOverrun } = phase;
    const cells = figures.map(({ p99, failed, isKept }) => {
      const failures = failed > 0 ? `, ${failed} failed` : "";
      return `<td${isKept || name === "warm-up" ? "" : ' class="bad"'}>${formatNumber(p99)}${failures}</td>`;
    });
    const verdict = name === "warm-up" ? "not judged" : isKept ? "kept" : isOverrun ? "overrun" : "left";
    return `<tr><td>${name}</td><td>${formatNumber(rate)}</td><td>${Math.round((endMs - startMs) / 1_000)}</td><td>${sent}</td>${cells.join("")}<td>${verdict}</td><td>${formatNumber(worstLagMs)}</td></tr>`;
  });
  return `<div class="scroll"><table><thead><tr><th>phase</th><th>per second</th><th>seconds</th><th>sent</th>${kinds.join("")}<th>limits</th><th>lag</th></tr></thead><tbody>${rows.join("\n")}</tbody></table></div>
<p class="note">p99 in milliseconds. Lag: how late the worst request left, in milliseconds; latencies include it.
Overrun: too many requests were without an answer.</p>`;
}

/** Every percentile of the last phase. */
function detailTable(phases: readonly Phase[]): string {
  const phase = phases.at(-1);
  if (phase === undefined) return "";
  const rows = phase.figures.map(({ kind, count, failed, p50, p90, p99, p999, most, limit, isKept }) => {
    const cells = [count, failed, p50, p90, p99, p999, most, limit].map(
      (value) => `<td>${formatNumber(value)}</td>`,
    );
    return `<tr${isKept ? "" : ' class="bad"'}><td>${kind}</td>${cells.join("")}</tr>`;
  });
  const columns = ["", "count", "failed", "p50", "p90", "p99", "p99.9", "slowest", "limit"];
  return `<section><h2>Latencies, ${phase.name} at ${formatNumber(phase.rate)}/s</h2><div class="scroll"><table><thead><tr>${columns.map((name) => `<th>${name}</th>`).join("")}</tr></thead><tbody>${rows.join("\n")}</tbody></table></div></section>`;
}
