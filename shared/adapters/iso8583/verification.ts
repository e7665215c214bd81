import type {
  BillingAddress,
  EntryCapability,
  SentVerification,
  StoredCredential,
  ThreeDSResult,
} from "../../contract/verification.ts";
import type { Message } from "./codec.ts";

type Fields = Message["fields"];

/** What a message says of card, user and terminal, and asks to be verified. */
export interface Verifying {
  readonly verification?: SentVerification;
  readonly billingAddress?: BillingAddress;
  /** The first character of DE48, with which the answer's begins too. */
  readonly category: string;
  /** It wants to know whether the address fits, or the security code. */
  readonly asksAddress: boolean;
  readonly asksCode: boolean;
}

/** What a network says in its own layout. */
export interface SaidOfUse {
  readonly entryCapability?: EntryCapability | undefined;
  readonly threeDS?: ThreeDSResult | undefined;
  readonly storedCredential?: StoredCredential | undefined;
}

export function readVerifying(
  fields: Fields,
  additional: ReadonlyMap<string, string>,
  said: SaidOfUse,
): Verifying {
  const terminalId = fields[41]?.replace(/[^ -~\xa0-\xff]/g, " ").trim();
  const asksAddress = additional.get("82") === addressAsked;
  const billingAddress = asksAddress ? readAddress(fields[120] ?? "") : undefined;
  const known = Object.entries({ ...said, terminalId: terminalId || undefined }).filter(
    ([, value]) => value !== undefined,
  );
  return {
    ...(known.length > 0 && { verification: Object.fromEntries(known) }),
    ...(billingAddress && { billingAddress }),
    category: /^\D/.exec(fields[48] ?? "")?.[0] ?? "",
    asksAddress,
    asksCode: additional.has("92"),
  };
}

const addressAsked = "52";

/** Postal code and line: in DE120 alone, in its subfield 01, or the numbers alone in 02. */
function readAddress(element: string): BillingAddress | undefined {
  const [, subfield, length] = /^(0[12])(\d\d)/.exec(element) ?? [];
  const isSubfield = length !== undefined && element.length === 4 + Number(length);
  const value = isSubfield ? element.slice(4) : element;
  const postalCode = toText(value.slice(0, 9));
  const line1 = toText(value.slice(9, 29));
  if (postalCode === undefined && line1 === undefined) return undefined;
  const isHouseNumber = (isSubfield && subfield === "02") || /^\d{1,5}$/.test(line1 ?? "");
  return {
    ...(postalCode !== undefined && { postalCode }),
    ...(line1 !== undefined && { line1, ...(isHouseNumber && { isHouseNumber }) }),
  };
}

function toText(text: string): string | undefined {
  return (
    text
      .replace(/[^ -~\xa0-\xff]/g, " ")
      .trim()
      .slice(0, 100) || undefined
  );
}

const mastercardCapabilities: Readonly<Record<string, EntryCapability>> = {
  "2": "magstripe",
  "3": "contactless",
  "4": "contactless",
  "5": "chip",
  "6": "keyed",
  "7": "magstripe",
  "8": "chip",
  "9": "chip",
};

const visaCapabilities: Readonly<Record<string, EntryCapability>> = {
  "2": "magstripe",
  "5": "chip",
  "8": "contactless",
};

/** Whether a merchant without a terminal is a shop on the Internet, its presence tells. */
function toCapability(
  capabilities: Readonly<Record<string, EntryCapability>>,
  code: string | undefined,
  isOnline: boolean,
): EntryCapability | undefined {
  const known = capabilities[code ?? ""];
  if (known) return known;
  if (isOnline) return "ecommerce";
  return code === undefined ? undefined : "unknown";
}

/**
 * The third digit of DE48 subelement 42: what the merchant collected of the authentication. That
 * there was one is no merchant's to say: its proof, the CAVV, tells.
 */
const collected: Readonly<Record<string, ThreeDSResult>> = {
  "4": "exempted",
  "6": "exempted",
};

/** DE48 subelement 22, subfield 05: who began the payment, and why. */
const initiated: Readonly<Record<string, StoredCredential>> = {
  C101: "cardholder",
  C102: "initial",
  C103: "initial",
  C104: "initial",
  M101: "unscheduled",
  M102: "recurring",
  M103: "recurring",
  M104: "installment",
  M205: "unscheduled",
  M206: "unscheduled",
  M207: "unscheduled",
  M208: "unscheduled",
};

/** DE48 subelements 22 and 42, and subfield 11 of DE61. */
export function readMastercardUse(
  fields: Fields,
  additional: ReadonlyMap<string, string>,
  isOnline: boolean,
): SaidOfUse {
  const commerce = additional.get("42")?.replace(/^0103(?=...$)/, "");
  const purpose = /^(?:\d\d\d\d.{4})*?0504(.{4})/.exec(additional.get("22") ?? "")?.[1];
  return {
    entryCapability: toCapability(mastercardCapabilities, fields[61]?.[10], isOnline),
    threeDS: collected[commerce?.[2] ?? ""],
    storedCredential: initiated[purpose ?? ""],
  };
}

const environments: Readonly<Record<string, StoredCredential>> = {
  R: "recurring",
  I: "installment",
  C: "unscheduled",
};

/** The mode of a card that the merchant has kept before. */
const keptMode = "10";

/** DE60: positions 2, 9 and 10. DE126, field 13: why the merchant keeps the card, or begins to. */
export function readVisaUse(
  digits: string,
  mode: string | undefined,
  environment: string | undefined,
): SaidOfUse {
  const indicator = digits.slice(8, 10);
  const isOnline = /^0[5-9]$/.test(indicator);
  const purpose = environments[environment ?? ""];
  const kept = mode === keptMode ? (purpose ?? "cardholder") : purpose && "initial";
  return {
    entryCapability: toCapability(visaCapabilities, digits[1], isOnline),
    storedCredential: kept,
  };
}
