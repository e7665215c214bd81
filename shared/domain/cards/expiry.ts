/** A Card is valid to the end of this month, in UTC. */
export interface Expiry {
  readonly expiryMonth: number;
  readonly expiryYear: number;
}

/** The first month that a Card may expire in for it to be valid at `at`. */
export function earliestExpiry(at: Date): Expiry {
  return { expiryMonth: at.getUTCMonth() + 1, expiryYear: at.getUTCFullYear() };
}

export function isExpired({ expiryMonth, expiryYear }: Expiry, at: Date): boolean {
  const earliest = earliestExpiry(at);
  return (
    expiryYear < earliest.expiryYear ||
    (expiryYear === earliest.expiryYear && expiryMonth < earliest.expiryMonth)
  );
}
