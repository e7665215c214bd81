import { writeFileSync } from "node:fs";
import { declareCommand, runCommand } from "../../../infra/command-line/command.ts";
import {
  connectionArgument,
  findConnectionFile,
  readConnectionFile,
} from "../../../infra/command-line/connection-file.ts";
import { json, number, seed, text, texts } from "../../../infra/command-line/options.ts";
import { printJson, progress, say } from "../../../infra/command-line/print.ts";
import { deadlineMarginMs, deadlineMs, defaultLimits, kinds, requestKinds, shares } from "./kinds.ts";
import { type LoadOptions, readLimits, reportFileOf } from "./options.ts";
import { highestRate } from "./rate-finder.ts";
import type { LoadResult } from "./run.ts";

const limitNames = kinds.map((kind) => `${kind} ${defaultLimits[kind]}`).join(", ");
const shareNames = requestKinds.map((kind) => `${Math.round(shares[kind] * 100)} % ${kind}s`).join(", ");

export const command = declareCommand({
  name: "load",
  summary:
    "puts a mixed load on the running local platform, finds the rate it takes, and writes a page with plots",
  takes: [connectionArgument],
  options: {
    seconds: number("of load in all, at most 60 % of it to find the rate", { most: 86_400, fallback: 180 }),
    step: number("seconds at each rate", { most: 3_600, fallback: 10 }),
    rate: number("requests a second: keeps this rate instead of finding one", {
      least: 0.1,
      most: highestRate,
      isFractional: true,
    }),
    start: number("the first rate to try", { most: highestRate, fallback: 20, isFractional: true }),
    limit: texts("<kind=ms>", `p99's limit; default: ${limitNames}`),
    decide: number(
      `milliseconds after which a receiver approves authorizations, but for every fourth; deadline ${deadlineMs}`,
      { most: 10_000 },
    ),
    seed,
    report: text("<file>", "default: load.html beside the connection file"),
    json,
  },
  notes: `Over mutual TLS: ${shareNames}.
Holds and settlements come back as webhooks. Requests leave by a schedule that does not wait for answers.
With --decide, an authorization endpoint is asked, silence approves, and the limit of authorizations is
${deadlineMs + deadlineMarginMs} ms.
Latency counts from the scheduled time; a webhook's from the answer of its request to the first byte at
the receiver. It finds the highest rate whose p99 keeps every limit, then holds 70 % of it. Then it waits
for all webhooks and audits the books.`,
  failsIf: "the last rate left a limit, a webhook did not arrive, or the books have faults",
  run: async ({ words: [givenFile], options }) => {
    const connectionFile = findConnectionFile(givenFile);
    const limits = readLimits(options.limit, options.decide);
    const { Connection } = await import("../../../infra/development/connection.ts");
    const { someSeed } = await import("../../harness/random.ts");
    const { renderPage } = await import("./report/page.ts");
    const { runLoad } = await import("./run.ts");
    const loadOptions: LoadOptions = {
      connection: readConnectionFile(connectionFile, Connection),
      connectionFile,
      seconds: options.seconds,
      stepSeconds: options.step,
      rate: options.rate,
      startRate: options.start,
      limits,
      decideMs: options.decide,
      seed: options.seed ?? someSeed(),
      reportFile: reportFileOf(connectionFile, options.report),
    };
    const result = await runLoad(loadOptions, { say, progress });
    writeFileSync(loadOptions.reportFile, renderPage(loadOptions, result));
    const faults = await conclude(loadOptions, result);
    if (options.json) {
      const { samples: _, moments: __, ...summary } = result;
      printJson({ ...summary, seed: loadOptions.seed, reportFile: loadOptions.reportFile, faults });
    }
    return faults.length === 0;
  },
});

/** Says what was found, and returns what is not as it must be. */
async function conclude(options: LoadOptions, result: LoadResult): Promise<string[]> {
  const { countErrors } = await import("./judge.ts");
  const { found, phases, books, samples, undelivered } = result;
  if (found?.kept !== undefined) {
    const left =
      found.left === undefined ? "no higher rate was tried to its end" : `${found.left}/s left one`;
    say(`${found.kept} requests a second keep every limit; ${left}.`);
  }
  const faults = [];
  const last = phases.at(-1);
  if (last?.isKept !== true) faults.push("The limits were not kept.");
  if (undelivered > 0) faults.push(`${undelivered} webhooks did not arrive.`);
  if (books.faults.length > 0) faults.push(`The books have faults: ${books.faults.length}.`);
  for (const { cause, count } of countErrors(samples)) say(`${count} failed, ${cause}`);
  for (const fault of books.faults.slice(0, 20)) say(`! ${fault}`);
  if (books.faults.length === 0)
    say(`The books are in order: ${books.accounts} accounts, ${books.entries} journal entries.`);
  for (const fault of faults) say(fault);
  say(`Report: ${options.reportFile} (seed ${options.seed})`);
  return faults;
}

if (import.meta.main) await runCommand(command);
