import { maskCardNumbersInBytes } from "../../contract/mask-card-numbers.ts";
import { readMessage } from "./codec.ts";
import type { Encoding } from "./dialect.ts";
import { de } from "./fields.ts";

/**
 * Track data, PIN block, data of the chip, keys, and what networks define on their own: it may have
 * the security code.
 */
const sensitive = [
  [34, 36],
  [45, 48],
  [52, 52],
  [55, 63],
  [96, 96],
  [104, 127],
] as const;

const pinBlock = 52;

/** It may be a message of another dialect: type and bitmap have 10 bytes or more. */
const shownOfUnread = 10;

/** The bytes, with a star for each that is sensitive, or may be: those that were not read. */
export function withoutSensitiveData(bytes: Uint8Array, dialect: Encoding): Uint8Array {
  const { message, places, faults, unreadFrom } = readMessage(bytes, dialect);
  const masked = Uint8Array.from(bytes);
  // ISO 8583:1987. Where it is another, the data elements may have been read from the wrong places.
  if (!message.mti.startsWith("0")) return masked.fill(0x2a, shownOfUnread);
  for (const { field, start, end } of places) {
    // In a message with a fault, the PIN block may have another length: what follows is elsewhere.
    if (field === pinBlock && faults.length > 0) return masked.fill(0x2a, start);
    if (sensitive.some(([first, last]) => field >= first && field <= last)) masked.fill(0x2a, start, end);
  }
  return unreadFrom === undefined ? masked : masked.fill(0x2a, Math.max(unreadFrom, shownOfUnread));
}

/** Amounts, and what identifies a message. */
const named = [de.amount, de.billingAmount, 7, 11, 32, 37, de.original, de.remaining];

/** The same for a message and its repetitions, and for the same bytes. It has no card number. */
export function nameRepeated(bytes: Uint8Array, dialect: Encoding): string {
  const { message } = readMessage(bytes, dialect);
  const { mti, fields } = message;
  if (fields[7] === undefined || fields[11] === undefined)
    return maskCardNumbersInBytes(withoutSensitiveData(bytes, dialect));
  return [mti.slice(0, 3), ...named.map((field) => fields[field])].join();
}
