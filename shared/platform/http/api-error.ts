import { type ErrorCode, errorCatalogue, type Fault } from "../../contract/errors.ts";

/** What an answer, or the result of a line, has room for: a body may have a million faults. */
const mostFaults = 50;
/** A place has the caller's keys. */
const mostCharacters = 400;

const shorten = (text: string) =>
  (text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text).toWellFormed();

function toListed({ path, message, ...fault }: Fault): Fault {
  return { path: shorten(path), message: shorten(message), ...fault };
}

/** An error that the caller gets as an answer. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly code: ErrorCode;
  /** With 400, 404 of the body's ids and 422, and what ALREADY_CREATED names: the first ones. */
  readonly faults: readonly Fault[];
  /** With EXTERNAL_ID_EXISTS: the record that has it. */
  readonly existingId: string | undefined;
  /** With AMOUNTS_WRONG. */
  readonly attemptsLeft: number | undefined;

  constructor(
    code: ErrorCode,
    faults: readonly Fault[] = [],
    existingId?: string,
    message: string = errorCatalogue[code].message,
    attemptsLeft?: number,
  ) {
    super(message);
    this.code = code;
    this.faults = faults.slice(0, mostFaults).map(toListed);
    this.existingId = existingId;
    this.attemptsLeft = attemptsLeft;
  }

  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** VALIDATION_FAILED for one field. */
export function invalid(path: string, code: string, message: string): ApiError {
  return new ApiError("VALIDATION_FAILED", [{ path, code, message }]);
}

/** The fields of the body, by what was found for each, whose record does not exist. */
export function missing(named: Readonly<Record<string, unknown>>): Fault[] {
  const names = Object.keys(named).filter((name) => named[name] === undefined);
  return names.map((name) => unknownAt(`body.${name}`));
}

export const unknownAt = (path: string) => ({
  path,
  code: "not_found",
  message: "names nothing of the Program",
});

export const notFound = (named: Readonly<Record<string, unknown>>) =>
  ({ rejected: "NOT_FOUND", faults: missing(named) }) as const;

/** The code's sentence, with the status that there is, and those that permit what was asked for. */
export function statusMessage(
  code: ErrorCode,
  current: number | string,
  permitted: readonly (number | string)[],
  statuses: Readonly<Record<string, number | string>> = {},
): string {
  const { message } = errorCatalogue[code];
  // Its time is over, or another was first.
  if (permitted.includes(current)) return message;
  const names = new Map(Object.entries(statuses).map(([name, value]) => [value, name]));
  const show = (status: number | string) => `${status} ${names.get(status) ?? ""}`.trim();
  const must = permitted.length > 0 ? `, and must be ${permitted.map(show).join(" or ")}` : "";
  return `${message.slice(0, -1)}: it is ${show(current)}${must}.`;
}

type StatusFacts = Parameters<typeof statusMessage> extends [unknown, ...infer Facts] ? Facts : never;
export const illegalStatus = (...facts: StatusFacts) =>
  ({ rejected: "ILLEGAL_TRANSITION", message: statusMessage("ILLEGAL_TRANSITION", ...facts) }) as const;
export const withStatus = (code: ErrorCode, ...facts: StatusFacts) =>
  new ApiError(code, [], undefined, statusMessage(code, ...facts));
export const statusError = (...facts: StatusFacts) => withStatus("ILLEGAL_TRANSITION", ...facts);

/** LIMIT_REACHED, with the limit and how many of `things`, a plural, there are or would be. */
export function limitReached(most: number, things: string, current = most): ApiError {
  return new ApiError("LIMIT_REACHED", [], undefined, toLimitMessage(most, things, current));
}

export const toLimitMessage = (most: number, things: string, current: number) =>
  `At most ${most} ${things} are allowed, and there ${current > most ? "would be" : "are"} ${current}.`;
