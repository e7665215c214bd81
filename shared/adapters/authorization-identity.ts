/** Data elements of the first message of an authorization, which name it from then on. */
export interface AuthorizationElements {
  /** DE32. */
  readonly acquirer: string;
  /** DE37. */
  readonly retrievalReference: string;
  /** DE11. */
  readonly systemTrace: string;
  /** DE7, MMDDhhmmss. */
  readonly transmittedAt: string;
}

/** The `authorizationId`, by message and by clearing file. Padding does not count. */
export function toAuthorizationId(elements: AuthorizationElements): string {
  const { acquirer, retrievalReference, systemTrace, transmittedAt } = elements;
  const [first = "", ...others] = [acquirer, retrievalReference, systemTrace, transmittedAt].map((element) =>
    element.replace(/[^\x21-\x7e]/g, ""),
  );
  return [first.replace(/^0+(?=.)/, ""), ...others].join(".");
}
