/** What names an authorization from then on: data elements of its first message. */
export interface Identity {
  /** DE32. */
  readonly acquirer: string;
  /** DE37. */
  readonly retrievalReference: string;
  /** DE11. */
  readonly systemTrace: string;
  /** DE7, MMDDhhmmss. */
  readonly transmittedAt: string;
}

/** A filler repeats one character: it names nothing. */
export function isFiller(element: string): boolean {
  return /^(.)\1*$/.test(element.trim());
}

/** The `authorizationId`, by message and by clearing file. Padding does not count. */
export function toAuthorizationId({ acquirer, retrievalReference, systemTrace, transmittedAt }: Identity) {
  const [first = "", ...others] = [acquirer, retrievalReference, systemTrace, transmittedAt].map((element) =>
    element.replace(/[^\x21-\x7e]/g, ""),
  );
  return [first.replace(/^0+(?=.)/, ""), ...others].join(".");
}

/**
 * What the first message of an authorization, or a stand-in's advice of that amount, has in common
 * with its repetitions.
 */
export function toFirstKeys(authorizationId: string, cardId: string, amount: number): string[] {
  const timeless = authorizationId.slice(0, authorizationId.lastIndexOf(".") + 1);
  const common = [timeless, cardId];
  return [["0100", ...common].join(":"), ["0120", ...common, amount, ""].join(":")];
}

/**
 * The time of DE7 (MMDDhhmmss, UTC), in the year in which it is nearest to now. Undefined if there
 * is no such time.
 */
export function toTime(transmittedAt: string, now: Date): Date | undefined {
  const [month = 0, day = 0, ...time] = (transmittedAt.match(/\d\d/g) ?? []).map(Number);
  const [hours = 0, minutes = 0, seconds = 0] = time;
  const year = now.getUTCFullYear();
  const times = [year - 1, year, year + 1]
    .map((one) => new Date(Date.UTC(one, month - 1, day, hours, minutes, seconds)))
    .filter((one) => one.toISOString().replace(/\D/g, "").slice(4, 14) === transmittedAt);
  const distance = (one: Date) => Math.abs(one.getTime() - now.getTime());
  return times.toSorted((one, other) => distance(one) - distance(other))[0];
}
