import { maskCardNumbersInBytes } from "../../contract/mask-card-numbers.ts";
import { readMessage } from "./codec.ts";
import type { Dialect } from "./dialects.ts";
import { de } from "./fields.ts";
import { withoutSensitiveData } from "./sensitive.ts";

/** Amounts, and what identifies a message. */
const named = [de.amount, de.billingAmount, 7, 11, 32, 37, de.original, de.remaining];

/** The same for a message and its repetitions, and for the same bytes. It has no card number. */
export function nameRepeated(bytes: Uint8Array, dialect: Dialect): string {
  const { message } = readMessage(bytes, dialect);
  const { mti, fields } = message;
  if (fields[7] === undefined || fields[11] === undefined)
    return maskCardNumbersInBytes(withoutSensitiveData(bytes, dialect));
  return [mti.slice(0, 3), ...named.map((field) => fields[field])].join();
}
