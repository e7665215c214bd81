/** `npm run load`: a mixed load on the running local platform, and the rate that it takes. */
import { writeFileSync } from "node:fs";
import { progress } from "../bench/report.ts";
import { countErrors } from "./judge.ts";
import { help, type LoadOptions, readOptions, UsageError } from "./options.ts";
import { renderPage } from "./report/page.ts";
import { type LoadResult, runLoad } from "./run.ts";

const reporting = {
  say: (line: string) => {
    progress("");
    console.log(line);
  },
  progress,
};

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  progress("");
  console.error(messageOf(error));
  if (error instanceof UsageError) console.error("\nnpm run load -- --help prints what it takes.");
  return 2;
});

async function main(args: string[]): Promise<number> {
  const options = readOptions(args, process.env);
  if (options === "help") {
    console.log(help);
    return 0;
  }
  const result = await runLoad(options, reporting);
  writeFileSync(options.reportFile, renderPage(options, result));
  return conclude(options, result);
}

/** Says what was found, and returns the exit code. */
function conclude(options: LoadOptions, result: LoadResult): number {
  const { found, phases, books, samples, undelivered } = result;
  const { say } = reporting;
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
  return faults.length === 0 ? 0 : 1;
}

function messageOf(error: unknown): string {
  const { code, cause, message } = error as NodeJS.ErrnoException & { cause?: NodeJS.ErrnoException };
  if ((code ?? cause?.code) === "ECONNREFUSED")
    return "Nothing answers there. Start the platform with npm start.";
  return message;
}
