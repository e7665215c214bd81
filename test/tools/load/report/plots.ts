import { percentile } from "../../bench/report.ts";
import { kinds, type Limits, type Sample } from "../kinds.ts";
import type { LoadResult, Phase } from "../run.ts";
import { type Band, formatNumber, histogram, lineChart, type Series } from "./chart.ts";

const mostBins = 150;
const megabyte = 1024 * 1024;

export function renderPlots({ phases, samples, moments }: LoadResult, limits: Limits): string {
  const ends = [...moments.map(({ atMs }) => atMs), ...phases.map(({ endMs }) => endMs)];
  const seconds = Math.max(1, ...ends.map((ms) => ms / 1_000));
  const common = { seconds, bands: phases.map(bandOf) };
  const points = (value: (moment: LoadResult["moments"][number]) => number | undefined) =>
    moments.map((moment) => [moment.atMs / 1_000, value(moment)] as const);
  const backlog: Series[] = [
    { name: "requests without an answer", colour: 1, points: points(({ inFlight }) => inFlight) },
    { name: "webhooks due", colour: 2, points: points(({ undelivered }) => undelivered) },
    { name: "messages in queues", colour: 3, points: points(({ queued }) => queued) },
  ];
  const memory = points(({ memoryBytes }) => memoryBytes && memoryBytes / megabyte);
  const latencies = kinds.map((kind) =>
    lineChart({
      ...common,
      title: kind,
      unit: "ms",
      isLogarithmic: true,
      limit: limits[kind],
      series: latencySeries(
        samples.filter((sample) => sample.kind === kind),
        seconds,
      ),
    }),
  );
  const charts = [
    ["Latency over time", latencies],
    ["Throughput", [lineChart({ ...common, ...throughput(samples, seconds), isWide: true })]],
    ["Backlog", [lineChart({ ...common, title: "What waits", unit: "", series: backlog, isWide: true })]],
  ] as [string, string[]][];
  if (memory.some(([, value]) => value !== undefined)) {
    const series: Series[] = [
      { name: "all processes of the platform, npm included", colour: 1, points: memory },
    ];
    charts.push(["Memory", [lineChart({ ...common, title: "PSS", unit: "MB", series, isWide: true })]]);
  }
  charts.push([`Histograms, ${spanOf(phases)}`, histograms(samples, phases, limits)]);
  return charts
    .map(
      ([title, each]) => `<section><h2>${title}</h2><div class="charts">${each.join("\n")}</div></section>`,
    )
    .join("\n");
}

function bandOf({ name, rate, startMs, endMs }: Phase): Band {
  const label = name === "step" ? `${formatNumber(rate)}/s` : `${name} ${formatNumber(rate)}/s`;
  return { from: startMs / 1_000, to: endMs / 1_000, label };
}

function latencySeries(samples: readonly Sample[], seconds: number): Series[] {
  const answered = samples.filter(({ error }) => error === undefined);
  const bins = binned(answered, seconds, ({ intendedMs }) => intendedMs);
  const line = (percent: number) =>
    bins.map(({ at, members }) => {
      const values = members.map(({ latencyMs }) => latencyMs);
      return [at, values.length > 0 ? percentile(values, percent) : undefined] as const;
    });
  return [
    { name: "p50", colour: 3, points: line(50) },
    { name: "p99", colour: 1, points: line(99) },
  ];
}

function throughput(samples: readonly Sample[], seconds: number) {
  const requests = samples.filter(({ kind }) => kind !== "webhook");
  const rate = (members: readonly Sample[], timeOf: (sample: Sample) => number) =>
    binned(members, seconds, timeOf).map(({ at, members, width }) => [at, members.length / width] as const);
  const ended = ({ intendedMs, latencyMs }: Sample) => intendedMs + latencyMs;
  const isFailed = ({ error }: Sample) => error !== undefined;
  const series: Series[] = [
    { name: "due", colour: 3, points: rate(requests, ({ intendedMs }) => intendedMs) },
    {
      name: "answered",
      colour: 1,
      points: rate(
        requests.filter((one) => !isFailed(one)),
        ended,
      ),
    },
    { name: "failed", colour: 2, points: rate(requests.filter(isFailed), ended) },
  ];
  return { title: "Requests a second", unit: "", series };
}

function histograms(samples: readonly Sample[], phases: readonly Phase[], limits: Limits): string[] {
  const phase = phases.at(-1);
  return kinds.map((kind) => {
    const own = samples.filter(
      ({ kind: other, intendedMs, error }) =>
        other === kind && error === undefined && intendedMs >= (phase?.startMs ?? 0),
    );
    const values = own.map(({ latencyMs }) => latencyMs);
    return histogram(`${kind}, ${values.length}`, values, limits[kind]);
  });
}

function spanOf(phases: readonly Phase[]): string {
  const phase = phases.at(-1);
  return phase === undefined ? "" : `${phase.name} at ${formatNumber(phase.rate)}/s`;
}

function binned(samples: readonly Sample[], seconds: number, timeOf: (sample: Sample) => number) {
  const width = Math.max(1, Math.ceil(seconds / mostBins));
  const bins = Array.from({ length: Math.ceil(seconds / width) }, (_, index) => ({
    at: (index + 0.5) * width,
    width,
    members: [] as Sample[],
  }));
  for (const sample of samples) bins[Math.floor(timeOf(sample) / 1_000 / width)]?.members.push(sample);
  return bins;
}
