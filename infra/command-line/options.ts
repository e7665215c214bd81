/** The call is wrong: its message is printed with the usage, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** What the command needs is not there, such as a running platform: exit code 2. */
export class CannotRun extends Error {
  override readonly name = "CannotRun";
}

interface Option<T> {
  /** What `--help` shows for the value, such as `<file>`. A flag has none. */
  readonly value?: string;
  readonly about: string;
  /** @throws UsageError */
  readonly read: (given: readonly string[], name: string) => T;
}

export type Options = Readonly<Record<string, Option<unknown>>>;

export type Values<O extends Options> = {
  readonly [Name in keyof O]: O[Name] extends Option<infer T> ? T : never;
};

export function flag(about: string): Option<boolean> {
  return { about, read: (given) => given.length > 0 };
}

export function text(value: string, about: string): Option<string | undefined>;
export function text(value: string, about: string, fallback: string): Option<string>;
export function text(value: string, about: string, fallback?: string): Option<string | undefined> {
  return { value, about: withDefault(about, fallback), read: (given) => given.at(-1) ?? fallback };
}

/** One of these words. */
export function choice<const T extends string>(choices: readonly T[], about: string, fallback: T): Option<T> {
  const read = (given: readonly string[], name: string) => {
    const last = given.at(-1) ?? fallback;
    const found = choices.find((one) => one === last);
    if (found !== undefined) return found;
    throw new UsageError(`--${name} is "${last}"; it must be ${choices.join(" or ")}.`);
  };
  return { value: `<${choices.join("|")}>`, about: withDefault(about, fallback), read };
}

export function texts(value: string, about: string): Option<readonly string[]> {
  return { value, about: `${about}; repeatable`, read: (given) => given };
}

interface Range {
  readonly least?: number;
  readonly most?: number;
  /** Whole numbers only, by default. */
  readonly isFractional?: boolean;
}

export function number(about: string, range: Range & { readonly fallback: number }): Option<number>;
export function number(about: string, range?: Range): Option<number | undefined>;
export function number(
  about: string,
  range: Range & { readonly fallback?: number } = {},
): Option<number | undefined> {
  const { least = 1, most = Number.MAX_SAFE_INTEGER, isFractional = false, fallback } = range;
  const allowed = `${isFractional ? "a" : "a whole"} number from ${least}${range.most === undefined ? "" : ` to ${most}`}`;
  const read = (given: readonly string[], name: string) => {
    const last = given.at(-1);
    if (last === undefined) return fallback;
    const value = Number(last);
    const isValid = value >= least && value <= most && (isFractional || Number.isInteger(value));
    if (last.trim() !== "" && isValid) return value;
    throw new UsageError(`--${name} is "${last}"; it must be ${allowed}.`);
  };
  return { value: "<n>", about: withDefault(about, fallback), read };
}

export const environment = text(
  "<name>",
  "a deployed one, with your AWS credentials; default: the platform on this machine",
);

export const seed = number("repeats the run that printed it", { least: 0 });

export const json = flag("prints the result as one JSON document; everything else goes to stderr");

/** @throws UsageError */
export function readTime(name: string, given = ""): Date {
  const time = new Date(given);
  if (!Number.isNaN(time.getTime()) && time.toISOString().replace(".000Z", "Z") === given) return time;
  throw new UsageError(
    `--${name} is "${given}"; it must be a UTC time in whole seconds, such as 2026-11-22T14:02:00Z.`,
  );
}

function withDefault(about: string, fallback: string | number | undefined): string {
  return fallback === undefined ? about : `${about}; default: ${fallback}`;
}
