import { createCipheriv } from "node:crypto";
import { xor } from "../../functions/vault/cryptography/algorithms.ts";

/**
 * Makes a block of format 4 (ISO 9564-1), as the network does: the PIN field, enciphered, is
 * combined with the account number's field, and enciphered again.
 * @param random eight bytes
 */
export function createPinBlock(pin: string, key: Buffer, cardNumber: string, random: Buffer): Buffer {
  const field = `4${pin.length.toString(16)}${pin}`.padEnd(16, "A");
  const digits = cardNumber.padStart(12, "0");
  const account = Buffer.from(`${digits.length - 12}${digits}`.padEnd(32, "0"), "hex");
  return encipher(xor(encipher(Buffer.concat([Buffer.from(field, "hex"), random]), key), account), key);
}

function encipher(block: Buffer, key: Uint8Array): Buffer {
  return createCipheriv(`aes-${key.length * 8}-ecb`, key, null)
    .setAutoPadding(false)
    .update(block);
}
