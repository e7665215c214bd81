import type { EntryCapability, StoredCredential } from "../../contract/verification.ts";
import {
  commonModes,
  type Encoding,
  type OwnLayout,
  readText,
  toAcceptor,
  toCapability,
  writeText,
} from "./dialect.ts";
import type { Values } from "./fields.ts";

/** DE60: positions 9 and 10 (mail, phone and e-commerce), and 12. DE126: fields 9, 10 and 13. */
export function readVisa(values: Values, encoding: Encoding): OwnLayout {
  const digits = readDigits(values[60] ?? "", encoding);
  const indicator = digits.slice(8, 10);
  const { cvv, cavv, environment } = readPrivateUse(writeText(values[126] ?? "", encoding), encoding);
  const isRecurring = indicator === "02" || environment === "R";
  return {
    readAcceptor: toAcceptor([0, 25], [25, 38], [38, 40]),
    entryModes: commonModes,
    presence: isRecurring ? "recurring" : /^0[5-9]$/.test(indicator) ? "online" : undefined,
    supportsPartial: ["1", "3"].includes(digits[11] ?? ""),
    cvv,
    cavv,
    use: readUse(digits, values[22]?.slice(0, 2), environment?.trim()),
  };
}

/** In BCD, as the network sends them, or in characters, as gateways do. */
function readDigits(value: string, encoding: Encoding): string {
  return /^\d*$/.test(value) ? value : Buffer.from(writeText(value, encoding)).toString("hex");
}

/** The lengths of its fields 1 to 13, in bytes. */
const privateUseLengths = [25, 57, 57, 18, 8, 17, 17, 20, 20, 6, 2, 3, 1];

const cavvField = 9;

/** A bitmap of eight bytes, then the fields that it names. */
function readPrivateUse(bytes: Uint8Array, encoding: Encoding) {
  const found = new Map<number, string>();
  let cavv: string | undefined;
  let start = 8;
  for (const [index, length] of privateUseLengths.entries()) {
    const isSent = ((bytes[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
    if (!isSent) continue;
    const field = bytes.subarray(start, start + length);
    // It is bytes, and no text.
    if (index + 1 === cavvField) cavv = Buffer.from(field).toString("base64");
    else found.set(index + 1, readText(field, encoding));
    start += length;
  }
  const code = found.get(10);
  return {
    // Whether it is there, how to answer, and four places, filled at either side.
    ...(code?.startsWith("1") && { cvv: code.slice(2).trim() }),
    ...(cavv !== undefined && { cavv }),
    ...(found.has(13) && { environment: found.get(13) as string }),
  };
}

const capabilities: Readonly<Record<string, EntryCapability>> = {
  "2": "magstripe",
  "5": "chip",
  "8": "contactless",
};

const environments: Readonly<Record<string, StoredCredential>> = {
  R: "recurring",
  I: "installment",
  C: "unscheduled",
};

/** The mode of a card that the merchant has kept before. */
const keptMode = "10";

/** DE60: positions 2, 9 and 10. DE126, field 13: why the merchant keeps the card, or begins to. */
function readUse(digits: string, mode: string | undefined, environment: string | undefined) {
  const indicator = digits.slice(8, 10);
  const isOnline = /^0[5-9]$/.test(indicator);
  const purpose = environments[environment ?? ""];
  const kept = mode === keptMode ? (purpose ?? "cardholder") : purpose && "initial";
  return {
    entryCapability: toCapability(capabilities, digits[1], isOnline),
    storedCredential: kept,
  };
}
