import type { EntryMode, Merchant, Unread } from "../../contract/card-network.ts";
import { country, maximumAmountMinor } from "../../contract/primitives.ts";
import type { BillingAddress, SentVerification } from "../../contract/verification.ts";
import { defined } from "../../platform/pick.ts";
import { isFiller } from "../authorization-identity.ts";
import type { CardAcceptor, Dialect, OwnLayout } from "./dialect.ts";
import { de, readBilling, readSubelements, type Values } from "./fields.ts";

/** Where and how the card was presented, and what the terminal can do and asks for. */
export interface PointOfSale {
  readonly merchant: Merchant;
  readonly entryMode?: EntryMode;
  /** What was sent, and says nothing. */
  readonly unread?: Unread[];
  readonly supportsPartial: boolean;
  readonly cvv?: string;
  /** The proof of an authentication by 3-D Secure, in base64. */
  readonly cavv?: string;
  readonly verification?: SentVerification;
  readonly billingAddress?: BillingAddress;
  /** The first character of DE48, with which the answer's begins too. */
  readonly category: string;
  /** It wants to know whether the address fits, or the security code. */
  readonly asksAddress: boolean;
  readonly asksCode: boolean;
}

export function readPointOfSale(values: Values, dialect: Dialect): PointOfSale {
  const layout = dialect.readOwn(values, dialect);
  const acceptor = layout.readAcceptor(values[43] ?? "");
  const mode = values[22]?.slice(0, 2);
  const merchantCountry = country.safeParse(acceptor.country).data;
  const entryMode = readEntryMode(layout, mode);
  const unread: Unread[] = [
    ...(merchantCountry === undefined && acceptor.country !== "" ? (["merchantCountry"] as const) : []),
    ...(entryMode === undefined && mode !== undefined ? (["entryMode"] as const) : []),
  ];
  return {
    merchant: readMerchant(values, { ...acceptor, merchantCountry }),
    ...(entryMode && { entryMode }),
    ...(unread.length > 0 && { unread }),
    supportsPartial: layout.supportsPartial,
    ...readVerifying(values, readSubelements(values[48]), layout.use),
    ...(layout.cvv !== undefined && /^\d{3}$/.test(layout.cvv) && { cvv: layout.cvv }),
    ...(layout.cavv !== undefined && isCavv(layout.cavv) && { cavv: layout.cavv }),
  };
}

/** 20 bytes. Zeros are a filler, which proves nothing. */
function isCavv(text: string): boolean {
  return /^[A-Za-z0-9+/]{27}=$/.test(text) && !/^A{27}=$/.test(text);
}

/** Whether a payment recurs has its own indicator: a stored credential does not tell it. */
function readEntryMode({ presence, entryModes }: OwnLayout, mode: string | undefined): EntryMode | undefined {
  if (presence === "recurring") return "recurring";
  const known = mode === undefined ? undefined : entryModes[mode];
  return presence === "online" && (known ?? "keyed") === "keyed" ? "ecommerce" : known;
}

/** DE18, DE42 or DE41, and DE43. */
function readMerchant(
  values: Values,
  { name, city, merchantCountry }: CardAcceptor & Pick<Merchant, "merchantCountry">,
): Merchant {
  const [amount, billing] = [values[de.amount], readBilling(values)];
  const [mcc, terminal, acceptor, currency] = [18, 41, 42, 49].map((field) => values[field]);
  const texts = {
    merchantName: toText(name),
    mcc,
    merchantId: toText(acceptor) ?? toText(terminal),
    merchantCity: toText(city),
    merchantCountry,
  };
  const srcAmount = Number(amount ?? 0);
  const billed =
    amount !== undefined && billing !== undefined && currency !== undefined
      ? // It only informs: one that is too large to be recorded decides nothing.
        { ...(srcAmount <= maximumAmountMinor && { srcAmount }), srcCurrency: currency }
      : {};
  return { ...defined(texts), ...billed };
}

function toText(text = ""): string | undefined {
  const trimmed = text.replace(/[^ -~\xa0-\xff]/g, " ").trim();
  return trimmed === "" ? undefined : trimmed;
}

function readVerifying(values: Values, additional: ReadonlyMap<string, string>, said: OwnLayout["use"]) {
  const terminalId = toText(values[41]);
  const asksAddress = additional.get("82") === addressAsked;
  const billingAddress = asksAddress ? readAddress(values[120] ?? "") : undefined;
  const verification = defined({ ...said, terminalId });
  return {
    ...(Object.keys(verification).length > 0 && { verification }),
    ...(billingAddress && { billingAddress }),
    category: /^\D/.exec(values[48] ?? "")?.[0] ?? "",
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

/** A token that pays is named as in its request. */
export function readTokenReference(values: Values): { readonly tokenReference?: string } {
  const tokenReference = toLimitedText(readToken(values).get("09"), 64);
  return tokenReference === undefined || isFiller(tokenReference) ? {} : { tokenReference };
}

/** DE48, subelement 33. */
export function readToken(values: Values): Map<string, string> {
  return readParts(readSubelements(values[de.additional]).get("33"));
}

/** Subfields as subelements are: two digits, two digits of length and a value. */
export function readParts(value = ""): Map<string, string> {
  return /^\d/.test(value) ? readSubelements(value) : new Map();
}

/** Undefined for what does not fit. */
export function toLimitedText(value: string | undefined, longest: number): string | undefined {
  const text = value?.trim() ?? "";
  const fits = text.length > 0 && text.length <= longest && /^[^\p{Cc}\p{Cs}]*$/u.test(text);
  return fits ? text : undefined;
}
