import { parseArgs } from "node:util";
import { interrupted } from "./clean-up.ts";
import { didYouMean } from "./did-you-mean.ts";
import { followParent } from "./follow-parent.ts";
import { CannotRun, type Options, UsageError, type Values } from "./options.ts";
import { keepOutputForResult, printFailure, progress } from "./print.ts";

export interface Argument {
  readonly name: string;
  readonly about: string;
  readonly is?: "optional" | "repeatable";
  readonly choices?: readonly string[];
}

export interface Command<O extends Options = Options> {
  /** As in `npm run <name>`. */
  readonly name: string;
  /** Completes "It …", without a full stop. */
  readonly summary: string;
  readonly takes?: readonly Argument[];
  readonly options?: O;
  /** The program to which unknown options go. */
  readonly passesOptionsTo?: string;
  readonly notes?: string;
  /** The help of what its first words name. */
  helpFor?(words: readonly string[]): Promise<string | undefined>;
  /** When its exit code is 1. */
  readonly failsIf?: string;
  /** Imports what is slow to load. `false` is exit code 1, as is a thrown Error. */
  run(given: Given<O>): Promise<boolean | undefined>;
}

export interface Given<O extends Options = Options> {
  readonly words: readonly string[];
  readonly options: Values<O>;
  readonly passed: readonly string[];
}

/** Infers the options' types. */
export function declareCommand<const O extends Options>(command: Command<O>): Command<O> {
  return command;
}

/** Runs the command with this process's words, and ends the process with its exit code. */
export async function runCommand<O extends Options>(command: Command<O>): Promise<never> {
  followParent();
  const exitCode = await runForExitCode(command, process.argv.slice(2));
  // The clean-up ends the process when it is done.
  if (interrupted.aborted) await new Promise(() => undefined);
  process.exit(exitCode);
}

async function runForExitCode<O extends Options>(command: Command<O>, words: string[]): Promise<0 | 1 | 2> {
  try {
    if (words.some((word) => word === "--help" || word === "-h")) {
      console.log((await helpFor(command, words)) ?? writeHelp(command));
      return 0;
    }
    const given = readWords(command, words);
    if (given.options.json === true) keepOutputForResult();
    return (await command.run(given)) === false ? 1 : 0;
  } catch (error) {
    if (interrupted.aborted) return 1;
    progress("");
    const refused = refusal(error);
    const found = refused
      ? new CannotRun(
          `Nothing answers (${refused.message}). Is the platform running? npm start starts it on this machine.`,
        )
      : error;
    const message = toMessage(found);
    printFailure(message);
    console.error(found instanceof UsageError ? `${message}\n\n${await findHelp(command, words)}` : message);
    return found instanceof UsageError || found instanceof CannotRun ? 2 : 1;
  }
}

/** Without what cannot be found, the command's own. */
async function findHelp<O extends Options>(command: Command<O>, words: readonly string[]): Promise<string> {
  return (await helpFor(command, words).catch(() => undefined)) ?? writeHelp(command);
}

/** @throws UsageError for words that name nothing */
async function helpFor<O extends Options>(command: Command<O>, words: readonly string[]) {
  return await command.helpFor?.(words.filter((word) => !word.startsWith("-")));
}

/** @throws UsageError for words that the command does not take */
export function readWords<O extends Options>(command: Command<O>, given: readonly string[]): Given<O> {
  const options: Options = command.options ?? {};
  const { own, passed } = command.passesOptionsTo
    ? separate(given, options)
    : { own: [...given], passed: [] };
  const { values, positionals } = parse(own, options);
  checkArguments(command.takes ?? [], positionals);
  const read = Object.entries(options).map(([name, option]) => [
    name,
    option.read((values[name] ?? []) as string[], name),
  ]);
  return { words: positionals, passed, options: Object.fromEntries(read) as Values<O> };
}

function parse(args: string[], options: Options) {
  const types = Object.entries(options).map(([name, { value }]) => {
    const type = value === undefined ? ("boolean" as const) : ("string" as const);
    return [name, { type, multiple: true }] as const;
  });
  try {
    return parseArgs({ args, options: Object.fromEntries(types), allowPositionals: true });
  } catch (error) {
    const [message = ""] = toMessage(error).split(" To specify a positional argument");
    const [, unknown] = /^Unknown option '(--[^']+)'/.exec(message) ?? [];
    const names = ["help", ...Object.keys(options)].map((name) => `--${name}`);
    throw new UsageError(message + (unknown === undefined ? "" : didYouMean(unknown, names)));
  }
}

function checkArguments(takes: readonly Argument[], words: readonly string[]): void {
  for (const [index, word] of words.entries()) {
    const argument = takes[index] ?? takes.findLast(({ is }) => is === "repeatable");
    if (argument === undefined) throw new UsageError(`"${word}" is one argument too many.`);
    const { name, choices } = argument;
    if (choices !== undefined && !choices.includes(word))
      throw new UsageError(
        `The ${name} is "${word}"; it must be one of ${choices.join(", ")}.${didYouMean(word, choices)}`,
      );
  }
  const missing = takes.slice(words.length).find(({ is }) => is === undefined);
  if (missing !== undefined) throw new UsageError(`The ${missing.name} is missing.`);
}

/** The command's words and its own options, apart from the other program's. */
function separate(given: readonly string[], options: Options) {
  const own: string[] = [];
  const passed: string[] = [];
  for (let index = 0; index < given.length; index += 1) {
    const word = given[index] ?? "";
    const [name = ""] = word.replace(/^--/, "").split("=");
    const option = word.startsWith("--") && Object.hasOwn(options, name) ? options[name] : undefined;
    const isValueOfOther = passed.at(-1) === given[index - 1] && /^-[^=]*$/.test(passed.at(-1) ?? "");
    const isArgument = !word.startsWith("-") && !isValueOfOther;
    (option !== undefined || isArgument ? own : passed).push(word);
    const value = given[index + 1];
    if (option?.value !== undefined && !word.includes("=") && value !== undefined) {
      own.push(value);
      index += 1;
    }
  }
  return { own, passed };
}

export function writeHelp<O extends Options>({ name, takes = [], options, ...command }: Command<O>): string {
  const rows = [
    ...takes.map((argument) => [toUsage(argument), describeArgument(argument)]),
    ...Object.entries<Options[string]>(options ?? {}).map(([option, { value, about }]) => [
      `--${option}${value === undefined ? "" : ` ${value}`}`,
      about,
    ]),
    ["--help", "prints this"],
  ];
  const width = Math.max(...rows.map(([term = ""]) => term.length));
  const { passesOptionsTo: program } = command;
  const usage = [
    `Usage: npm run ${name} --`,
    ...takes.map(toUsage),
    "[option…]",
    ...(program === undefined ? [] : [`[option of ${program}…]`]),
  ].join(" ");
  const failsIf = command.failsIf ?? "it failed";
  return [
    usage,
    `It ${command.summary}.`,
    rows.map(([term = "", about]) => `  ${term.padEnd(width)}  ${about}`).join("\n"),
    ...(command.notes === undefined ? [] : [command.notes]),
    `Exit codes: 0 fine; 1 ${failsIf}; 2 the call is wrong, or what it needs is not there.`,
  ].join("\n\n");
}

function toUsage({ name, is }: Argument): string {
  return is === undefined ? `<${name}>` : `[${name}${is === "repeatable" ? "…" : ""}]`;
}

function describeArgument({ about, choices }: Argument): string {
  return choices === undefined ? about : `${about}: ${choices.join(", ")}`;
}

/** A refused connection, which may be the cause of the error or one of several. */
function refusal(error: unknown): Error | undefined {
  if (!(error instanceof Error) || error instanceof CannotRun) return undefined;
  if (error instanceof AggregateError) return error.errors.map(refusal).find((one) => one !== undefined);
  return (error as NodeJS.ErrnoException).code === "ECONNREFUSED" ? error : refusal(error.cause);
}

/** With its place where the fault is in this program. */
function toMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const isOurs = error instanceof TypeError || error instanceof ReferenceError;
  return isOurs && !("code" in error) ? (error.stack ?? error.message) : error.message;
}
