import { toAuthorizationId as nameAuthorization } from "../authorization-identity.ts";

/** What an authorization is known by: the same four data elements of its first message. */
export interface Identity {
  /** DE32. */
  readonly acquirer: string;
  /** DE37. */
  readonly retrievalReference: string;
  /** DE11. */
  readonly trace: string;
  /** DE7. */
  readonly transmittedAt: string;
}

/** The platform's `authorizationId`, as clearing files have it. */
export function toAuthorizationId({ trace, ...identity }: Identity): string {
  return nameAuthorization({ ...identity, systemTrace: trace });
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
