import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import type { Comparison, Figure, Limit, Side } from "./comparison.ts";
import { type ComparisonName, comparisons } from "./comparisons.ts";
import { type Interval, medianInterval } from "./median-interval.ts";
import { progress, type Table } from "./report.ts";

export interface ComparedFigure extends Figure {
  /** A value for each pair, in order. */
  readonly before: readonly number[];
  readonly now: readonly number[];
  readonly broken?: string | undefined;
}

export interface Compared {
  readonly name: ComparisonName;
  readonly title: string;
  readonly base: string;
  readonly figures: readonly ComparedFigure[];
}

export interface CompareOptions {
  /** Directories of builds. Without the earlier one, its figures are left out. */
  readonly before: string | undefined;
  readonly now: string;
  readonly isQuick: boolean;
  readonly pairs: number | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

const usualPairs = 9;
const usualQuickPairs = 5;

/** Measures both sides in neighbouring pairs; who is first alternates. */
export async function compare(name: ComparisonName, options: CompareOptions): Promise<Compared> {
  const { comparison }: { comparison: Comparison } = await comparisons[name]();
  const { base, figures, isColdMeasured = false } = comparison;
  const { isQuick, now, before } = options;
  const pairs = options.pairs ?? pairsOf(comparison, isQuick);
  const directories = { before: base === undefined ? before : now, now };
  await using stack = new AsyncDisposableStack();
  const sides: SideProcess[] = [];
  for (const side of ["before", "now"] as const) {
    const directory = directories[side];
    if (directory === undefined) continue;
    progress(`${name}: opening ${side}`);
    sides.push(stack.use(await SideProcess.open(name, { name: side, directory, isQuick }, options)));
  }
  const values = { before: [] as Values[], now: [] as Values[] };
  for (let pair = isColdMeasured ? 0 : -1; pair < pairs; pair += 1) {
    progress(`${name}: ${pair < 0 ? "warming up" : `pair ${pair + 1} of ${pairs}`}`);
    for (const side of pair % 2 === 0 ? sides : sides.toReversed()) {
      const measured = await side.measure();
      if (pair >= 0) values[side.name].push(measured);
    }
  }
  const column = (rows: readonly Values[], index: number) => rows.flatMap((row) => row[index] ?? []);
  return {
    name,
    title: comparison.title,
    base: base ?? "before",
    figures: figures.map((figure, index) =>
      judge({ ...figure, before: column(values.before, index), now: column(values.now, index) }),
    ),
  };
}

function pairsOf({ pairs, quickPairs }: Comparison, isQuick: boolean): number {
  return isQuick
    ? (quickPairs ?? Math.min(pairs ?? usualQuickPairs, usualQuickPairs))
    : (pairs ?? usualPairs);
}

/** A limit is broken only if the whole interval is beyond it. */
export function judge(figure: ComparedFigure): ComparedFigure {
  const { name, unit, now, value } = figure;
  const ratios = ratiosOf(figure);
  const broken = [
    value && now.length > 0 && beyond(medianInterval(now), value, unit),
    figure.ratio && ratios.length > 0 && beyond(medianInterval(ratios), figure.ratio, "of before"),
  ].filter((one) => typeof one === "string");
  return broken.length === 0 ? figure : { ...figure, broken: `${name}: ${broken.join(", ")}.` };
}

export function ratiosOf({ before, now }: ComparedFigure): number[] {
  return now.flatMap((value, index) => {
    const base = before[index];
    return base === undefined ? [] : value / base;
  });
}

function beyond({ median, low, high }: Interval, limit: Limit, unit: string): string | false {
  const isBeyond = "most" in limit ? low > limit.most : high < limit.least;
  return isBeyond && `${median.toPrecision(3)} ${unit}, not ${describeLimit(limit)}`;
}

export function describeLimit(limit: Limit): string {
  return "most" in limit ? `at most ${limit.most}` : `at least ${limit.least}`;
}

/** As the other parts print. */
export function tableOf({ title, base, figures }: Compared): Table {
  const span = (values: readonly number[]) => {
    if (values.length === 0) return "";
    const { median, low, high } = medianInterval(values);
    return `${median.toPrecision(3)} (${low.toPrecision(3)} to ${high.toPrecision(3)})`;
  };
  return {
    title,
    columns: ["", base, "now", "now to before", "limit"],
    rows: figures.map((figure) => {
      const { name, unit, before, now, ratio, value, broken } = figure;
      const limits = [
        value && `${describeLimit(value)} ${unit}`,
        ratio && `${describeLimit(ratio)} of before`,
      ];
      const limit = limits.filter((one) => one !== undefined).join(", ");
      return { cells: [`${name}, ${unit}`, span(before), span(now), span(ratiosOf(figure)), limit], broken };
    }),
  };
}

type Values = readonly (number | undefined)[];
type Answer = { readonly values?: Values; readonly error?: string };

/** A process that measures one side when it is told to. */
class SideProcess implements AsyncDisposable {
  readonly name: Side["name"];
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;

  private constructor(name: ComparisonName, side: Side, environment: NodeJS.ProcessEnv) {
    this.name = side.name;
    this.#child = fork(new URL("./compare-side.ts", import.meta.url), [name, JSON.stringify(side)], {
      cwd: side.directory,
      env: { LOG_LEVEL: "SILENT", ...environment },
      stdio: ["ignore", 2, 2, "ipc"],
    });
    this.#ended = once(this.#child, "exit");
  }

  static async open(name: ComparisonName, side: Side, { environment }: CompareOptions): Promise<SideProcess> {
    const process = new SideProcess(name, side, environment);
    await process.#answer();
    return process;
  }

  async measure(): Promise<Values> {
    this.#child.send("measure");
    return (await this.#answer()).values ?? [];
  }

  async #answer(): Promise<Answer> {
    const ended = this.#ended.then(() => [{ error: "its process ended" }]);
    const [answer]: Answer[] = await Promise.race([once(this.#child, "message") as Promise<Answer[]>, ended]);
    if (answer?.error !== undefined) throw new Error(`${this.name}: ${answer.error}`);
    return answer ?? {};
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.connected) this.#child.disconnect();
    await this.#ended;
  }
}
