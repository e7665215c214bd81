import { createDecipheriv } from "node:crypto";
import * as tripleDes from "./cryptography/algorithms.ts";
import { xor } from "./cryptography/algorithms.ts";

/** PIN blocks of ISO 9564-1. A block opens only with its own card number. */

const isoBytes = { format0: 8, format4: 16 } as const;

/** The block's length tells its format, and so the algorithm of its key. */
export function pinBlockFormat(block: Uint8Array): "format0" | "format4" {
  return block.length === isoBytes.format0 ? "format0" : "format4";
}

/** `4` or `0`, the PIN's length, its digits, a filler. In format 4, random bytes follow. */
const pinField4 = /^4([4-9A-C])([0-9]+)(A*)$/;
const pinField0 = /^0([4-9A-C])([0-9]+)(F*)$/;
const fieldDigits = 16;

/** The PIN, or undefined if the block is of another key, card number or format. */
export function openPinBlock(block: Uint8Array, key: Uint8Array, cardNumber: string): string | undefined {
  const opened =
    pinBlockFormat(block) === "format0"
      ? xor(tripleDes.decrypt(key, block), accountField0(cardNumber))
      : decipher(xor(decipher(block, key), accountField4(cardNumber)), key);
  const pattern = pinBlockFormat(block) === "format0" ? pinField0 : pinField4;
  const field = opened.toString("hex").toUpperCase().slice(0, fieldDigits);
  const [, length = "", pin = ""] = pattern.exec(field) ?? [];
  return pin.length === Number.parseInt(length, 16) ? pin : undefined;
}

/**
 * Makes a block of format 0: PIN field and account number's field, combined, then enciphered by
 * triple DES.
 */
export function createPinBlock0(pin: string, key: Uint8Array, cardNumber: string): Buffer {
  const digits = `0${pin.length.toString(16)}${pin}`.padEnd(fieldDigits, "F");
  return tripleDes.encrypt(key, xor(Buffer.from(digits, "hex"), accountField0(cardNumber)));
}

/** The last twelve digits before the check digit. */
function accountField0(cardNumber: string): Buffer {
  return Buffer.from(cardNumber.slice(0, -1).slice(-12).padStart(fieldDigits, "0"), "hex");
}

/** The number of digits beyond 12, then the digits, filled with zeros. */
function accountField4(cardNumber: string): Buffer {
  const digits = cardNumber.padStart(12, "0");
  return Buffer.from(`${digits.length - 12}${digits}`.padEnd(2 * isoBytes.format4, "0"), "hex");
}

function decipher(block: Uint8Array, key: Uint8Array): Buffer {
  return createDecipheriv(`aes-${key.length * 8}-ecb`, key, null)
    .setAutoPadding(false)
    .update(block);
}
