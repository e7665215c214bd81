import { CardForm } from "../../contract/enums.ts";
import { randomInteger } from "../../platform/id.ts";
import type { Expiry } from "./expiry.ts";

/** The stored part of a card number. The digits between are never stored, hashed or logged. */
export interface CardNumberParts {
  readonly bin: string;
  readonly lastFour: string;
}

/** Draws a new 16-digit card number in the given range and keeps what may be kept of it. */
export function drawCardNumber(bin: string): CardNumberParts {
  const account = String(randomInteger(0, 1_000_000_000)).padStart(9, "0");
  return { bin, lastFour: (bin + account).slice(-3) + luhnDigit(bin + account) };
}

export function maskCardNumber({ bin, lastFour }: CardNumberParts): string {
  return `${bin}******${lastFour}`;
}

/** Check digit by ISO/IEC 7812-1 (Luhn). */
export function luhnDigit(digits: string): string {
  const sum = [...digits].toReversed().reduce((total, digit, at) => {
    const weighted = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (weighted > 9 ? weighted - 9 : weighted);
  }, 0);
  return String((10 - (sum % 10)) % 10);
}

/** Virtual three years, physical four, to the end of the issuing month. */
export function expiryOf(cardForm: CardForm, issuedAt: Date): Expiry {
  return {
    expiryMonth: issuedAt.getUTCMonth() + 1,
    expiryYear: issuedAt.getUTCFullYear() + (cardForm === CardForm.virtual ? 3 : 4),
  };
}
