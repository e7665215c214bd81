import { existsSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { Connection, connectionFile } from "../../infra/development/connection.ts";
import { readSettings } from "../../infra/development/settings.ts";
import { someSeed } from "../harness/random.ts";
import { defaultLimits, type Kind, kinds, type Limits, requestKinds, shares } from "./kinds.ts";
import { highestRate } from "./rate-finder.ts";

export interface LoadOptions {
  readonly connection: Connection;
  readonly connectionFile: string;
  /** Of the whole load. */
  readonly seconds: number;
  readonly stepSeconds: number;
  /** Requests a second: without it, the load finds the rate. */
  readonly rate: number | undefined;
  readonly startRate: number;
  readonly limits: Limits;
  readonly seed: number;
  readonly reportFile: string;
}

const limitNames = kinds.map((kind) => `${kind} ${defaultLimits[kind]}`).join(", ");
const shareNames = requestKinds.map((kind) => `${Math.round(shares[kind] * 100)} % ${kind}s`).join(", ");

export const help = `Usage: npm run load [-- <connection file> --seconds n …]

Puts a mixed load on the running local platform, over mutual TLS:
${shareNames}.
Holds and settlements come back as webhooks. Requests leave by a schedule that does not wait for answers.
Latency counts from the scheduled time; a webhook's from the answer of its request to the first byte at
the receiver. It finds the highest rate whose p99 keeps every limit, then holds 70 % of it. Then it waits
for all webhooks, audits the books, and writes a page with plots.

  <connection file>   of a running local platform. Default: .local/connection.json, or that of LOCAL_DIR
  --seconds n         of load in all, at most 60 % of it to find the rate. Default: 180
  --step n            seconds at each rate. Default: 10
  --rate n            requests a second: keeps this rate instead of finding one
  --start n           the first rate to try. Default: 20
  --limit kind=ms     p99's limit, may be repeated. Default:
                      ${limitNames}
  --seed n            repeats the schedule of an earlier run
  --report file       Default: load.html beside the connection file
  --help              prints this

Exit codes: 0 the last rate kept its limits, every webhook arrived, and the books are in order;
1 one of these is not so; 2 the load could not run.`;

/** The load cannot run as asked. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** @throws UsageError for an option or file that it does not take */
export function readOptions(args: readonly string[], variables: NodeJS.ProcessEnv): LoadOptions | "help" {
  const { values, positionals } = parse(args);
  if (values.help) return "help";
  if (positionals.length > 1)
    throw new UsageError(`It takes one connection file, not ${positionals.join(", ")}.`);
  const file = resolve(positionals[0] ?? connectionFile(readSettings(variables).directory));
  const number = (name: "seconds" | "step" | "rate" | "start" | "seed", least: number, most: number) => {
    const text = values[name];
    if (text === undefined) return undefined;
    const value = Number(text);
    if (text !== "" && value >= least && value <= most) return value;
    throw new UsageError(`--${name} is "${text}"; it must be a number from ${least} to ${most}.`);
  };
  return {
    seconds: number("seconds", 1, 86_400) ?? 180,
    stepSeconds: number("step", 1, 3_600) ?? 10,
    rate: number("rate", 0.1, highestRate),
    startRate: number("start", 1, highestRate) ?? 20,
    limits: readLimits(values.limit ?? []),
    seed: number("seed", 0, Number.MAX_SAFE_INTEGER) ?? someSeed(),
    reportFile: resolve(values.report ?? join(dirname(file), "load.html")),
    connectionFile: file,
    connection: readLocalConnection(file),
  };
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        seconds: text,
        step: text,
        rate: text,
        start: text,
        seed: text,
        report: text,
        limit: { type: "string", multiple: true },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function readLimits(texts: readonly string[]): Limits {
  const given = texts.map((text) => {
    const [, name, ms] = /^(\w+)=(\d+(?:\.\d+)?)$/.exec(text) ?? [];
    const kind = kinds.find((one) => one === name);
    if (kind !== undefined && Number(ms) > 0) return [kind, Number(ms)] as [Kind, number];
    throw new UsageError(
      `--limit is "${text}"; it must be a kind and milliseconds, such as read=250. Kinds: ${kinds.join(", ")}.`,
    );
  });
  return { ...defaultLimits, ...Object.fromEntries(given) };
}

function readLocalConnection(file: string): Connection {
  if (!existsSync(file)) {
    throw new UsageError(
      `There is no ${file}. Start the platform with npm start, and run this in another terminal.`,
    );
  }
  const read = Connection.safeParse(parseJson(readFileSync(file, "utf8")));
  if (read.success) return read.data;
  const missing = read.error.issues.map(({ path }) => path.join(".") || "JSON").join(", ");
  throw new UsageError(
    `${file} is not the connection file of a running local platform: check ${missing}. A deployed one has no store or queues to look into.`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
