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

/** A filler repeats one character: it names nothing. */
export function isFiller(element: string): boolean {
  return /^(.)\1*$/.test(element.trim());
}

/** The platform's `authorizationId`, as clearing files have it. */
export function toAuthorizationId({ trace, ...identity }: Identity): string {
  return nameAuthorization({ ...identity, systemTrace: trace });
}
