import { createCipheriv, createDecipheriv } from "node:crypto";

/**
 * ISO 9564-1 format 4: the PIN field, enciphered, is combined with the account number's field, and
 * enciphered again. So a block opens only with its own card number.
 */

const blockBytes = 16;
const control = "4";
const fill = "A";

/** `4`, the PIN's length, its digits, filled with `A` to eight bytes, then eight random bytes. */
const pinField = /^4([4-9A-C])([0-9]+)(A*)$/;

/** The PIN, or undefined if the block is of another key, card number or format. */
export function openPinBlock(block: Buffer, key: Buffer, cardNumber: string): string | undefined {
  const combined = decipher(block, key);
  const field = decipher(xor(combined, accountField(cardNumber)), key)
    .toString("hex")
    .toUpperCase();
  const [, length = "", pin = ""] = pinField.exec(field.slice(0, blockBytes)) ?? [];
  return pin.length === Number.parseInt(length, 16) ? pin : undefined;
}

/** @param random eight bytes */
export function createPinBlock(pin: string, key: Buffer, cardNumber: string, random: Buffer): Buffer {
  const digits = `${control}${pin.length.toString(16)}${pin}`.padEnd(blockBytes, fill);
  const field = Buffer.concat([Buffer.from(digits, "hex"), random]);
  return encipher(xor(encipher(field, key), accountField(cardNumber)), key);
}

/** The number of digits beyond 12, then the digits, filled with zeros. */
function accountField(cardNumber: string): Buffer {
  const digits = cardNumber.padStart(12, "0");
  return Buffer.from(`${digits.length - 12}${digits}`.padEnd(2 * blockBytes, "0"), "hex");
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, index) => byte ^ (right[index] ?? 0)));
}

function encipher(block: Buffer, key: Buffer): Buffer {
  return createCipheriv(`aes-${key.length * 8}-ecb`, key, null)
    .setAutoPadding(false)
    .update(block);
}

function decipher(block: Buffer, key: Buffer): Buffer {
  return createDecipheriv(`aes-${key.length * 8}-ecb`, key, null)
    .setAutoPadding(false)
    .update(block);
}
