import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { type CleanUp, cleanUp } from "../../../infra/command-line/clean-up.ts";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import { flag, json, number, text } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";
import type { Compared } from "./compare.ts";
import type { Comparison } from "./comparison.ts";
import { type ComparisonName, comparisonNames } from "./comparisons.ts";
import { useOwnFolder } from "./own-folder.ts";
import { partNames, quickParts, slowParts, tableParts, usualParts } from "./part-names.ts";
import type { PartOptions } from "./parts.ts";
import type { Table } from "./report.ts";

export const command = declareCommand({
  name: "bench",
  summary: "compares with an earlier build, counts round trips and units against their limits, writes a page",
  takes: [
    {
      name: "part",
      about: `default: all before ${slowParts[0]}, but for start`,
      is: "repeatable",
      choices: partNames,
    },
  ],
  options: {
    before: text(
      "<worktree|commit>",
      "the earlier build to compare with; without it, only limits of now count",
    ),
    quick: flag("three minutes instead of twenty: fewer pairs, and of the tables those of counts"),
    pairs: number("neighbouring pairs; default: 9 or what a part needs"),
    report: text("<file>", "the page", ".local/bench.html"),
    size: number("records of dead-endpoint, long-lists, merges and searches"),
    scale: number("share of the records of lists", { least: 0, most: 1, isFractional: true, fallback: 1 }),
    list: text("<name>", "one of the lists of long-lists"),
    json,
  },
  notes: `It compares both builds in turn, in neighbouring pairs, and fails only if the whole interval in which
the median of the ratios lies (95 %) is beyond its limit.`,
  failsIf: "a limit is exceeded",
  run: async ({ words, options }) => {
    const startedAt = new Date();
    await using cleaning = cleanUp();
    useOwnFolder(cleaning);
    const environment = { ...process.env };
    const usual = options.quick ? quickParts : usualParts;
    const parts = words.length === 0 ? usual : tableParts.filter((name) => words.includes(name));
    const compared = await compareBuilds(words, { ...options, environment });
    const tables = await measureTables(parts, { ...options, environment }, cleaning);
    const broken = [
      ...compared.flatMap(({ figures }) => figures),
      ...tables.flatMap(({ rows }) => rows),
    ].flatMap((one) => one.broken ?? []);
    const seconds = (Date.now() - startedAt.getTime()) / 1_000;
    const result = { startedAt, before: options.before, seconds, compared, tables, broken };
    const { renderBenchPage } = await import("./bench-page.ts");
    mkdirSync(dirname(options.report), { recursive: true, mode: 0o700 });
    writeFileSync(options.report, renderBenchPage(result));
    say(broken.length === 0 ? "\nEvery limit is kept." : `\nBroken limits:\n  ${broken.join("\n  ")}`);
    say(`Page: ${options.report}`);
    if (options.json) printJson(result);
    return broken.length === 0;
  },
});

interface BuildOptions {
  readonly before: string | undefined;
  readonly quick: boolean;
  readonly pairs: number | undefined;
  readonly environment: NodeJS.ProcessEnv;
}

/** By default, without an earlier build, only those that compare with something else. */
async function compareBuilds(words: readonly string[], options: BuildOptions): Promise<Compared[]> {
  const { comparisons } = await import("./comparisons.ts");
  const isNamed = (name: string) => words.some((word) => word === name);
  const names: ComparisonName[] = [];
  for (const name of comparisonNames) {
    const { comparison }: { comparison: Comparison } = await comparisons[name]();
    const isComparable = options.before !== undefined || comparison.base !== undefined;
    const isUsual = isComparable && !comparison.isVerySlow && !(options.quick && comparison.isSlow);
    if (isNamed(name) || (words.length === 0 && isUsual)) names.push(name);
  }
  if (names.length === 0) return [];
  const { openBuild, thisBuild } = await import("./builds.ts");
  const { compare, tableOf } = await import("./compare.ts");
  const { print } = await import("./report.ts");
  using before = options.before === undefined ? undefined : openBuild(options.before);
  const { pairs, environment, quick: isQuick } = options;
  const compared = [];
  for (const name of names) {
    const builds = { before: before?.directory, now: thisBuild };
    const one = await compare(name, { ...builds, isQuick, pairs, environment });
    print(tableOf(one));
    compared.push(one);
  }
  return compared;
}

async function measureTables(
  names: typeof tableParts,
  options: Omit<PartOptions, "endpoint">,
  cleaning: CleanUp,
): Promise<Table[]> {
  if (names.length === 0) return [];
  const { startEngine, useTables } = await import("../../harness/engine.ts");
  const { tablesOfTheTemplate } = await import("../../harness/tables.ts");
  const { print } = await import("./report.ts");
  const engine = await startEngine();
  cleaning.defer(engine.stop);
  const { endpoint } = engine;
  await useTables(endpoint, tablesOfTheTemplate(), "bench");
  // Imported only now: what it imports reads the environment.
  const { measurePart } = await import("./parts.ts");
  const { skipLeaseWaits } = await import("./lease-waits.ts");
  skipLeaseWaits();
  const tables = [];
  for (const name of names) {
    progress(name);
    const measured = await measurePart(name, { endpoint, ...options });
    for (const table of measured) print(table);
    tables.push(...measured);
  }
  return tables;
}

if (import.meta.main) await runCommand(command);
