import type { EntryMode, Merchant, Unread } from "../../contract/card-network.ts";
import { country, maximumAmountMinor } from "../../contract/primitives.ts";
import { toAlpha2 } from "../countries.ts";
import type { Message } from "./codec.ts";
import { type Dialect, readText, writeText } from "./dialects.ts";
import { de } from "./fields.ts";
import {
  readMastercardUse,
  readVerifying,
  readVisaUse,
  type SaidOfUse,
  type Verifying,
} from "./verification.ts";

type Fields = Message["fields"];

/** Where and how the card was presented, and what the terminal can do. */
export interface PointOfSale extends Verifying {
  readonly merchant: Merchant;
  readonly entryMode?: EntryMode;
  /** What was sent, and says nothing. */
  readonly unread?: Unread[];
  readonly supportsPartial: boolean;
  readonly cvv?: string;
  /** The proof of an authentication by 3-D Secure, in base64. */
  readonly cavv?: string;
}

export function readPointOfSale(fields: Fields, dialect: Dialect): PointOfSale {
  const layout = findLayout(dialect, fields);
  const acceptor = layout.readAcceptor(fields[43] ?? "");
  const mode = fields[22]?.slice(0, 2);
  const merchantCountry = country.safeParse(acceptor.country).data;
  const entryMode = readEntryMode(layout, mode);
  const unread: Unread[] = [
    ...(merchantCountry === undefined && acceptor.country !== "" ? (["merchantCountry"] as const) : []),
    ...(entryMode === undefined && mode !== undefined ? (["entryMode"] as const) : []),
  ];
  return {
    merchant: readMerchant(fields, { ...acceptor, merchantCountry }),
    ...(entryMode && { entryMode }),
    ...(unread.length > 0 && { unread }),
    supportsPartial: layout.supportsPartial,
    ...readVerifying(fields, readSubelements(fields[48]), layout.use),
    ...(layout.cvv !== undefined && /^\d{3}$/.test(layout.cvv) && { cvv: layout.cvv }),
    ...(layout.cavv !== undefined && isCavv(layout.cavv) && { cavv: layout.cavv }),
  };
}

/** 20 bytes. Zeros are a filler, which proves nothing. */
function isCavv(text: string): boolean {
  return /^[A-Za-z0-9+/]{27}=$/.test(text) && !/^A{27}=$/.test(text);
}

/** Whether a payment recurs has its own indicator: a stored credential does not tell it. */
function readEntryMode({ presence, entryModes }: Layout, mode: string | undefined): EntryMode | undefined {
  if (presence === "recurring") return "recurring";
  const known = mode === undefined ? undefined : entryModes[mode];
  return presence === "online" && (known ?? "keyed") === "keyed" ? "ecommerce" : known;
}

/** DE18, DE42 or DE41, and DE43. */
function readMerchant(
  fields: Fields,
  { name, city, merchantCountry }: CardAcceptor & Pick<Merchant, "merchantCountry">,
): Merchant {
  const [amount, billing] = [fields[de.amount], fields[de.billingAmount]];
  const [mcc, terminal, acceptor, currency] = [18, 41, 42, 49].map((field) => fields[field]);
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
  const known = Object.entries(texts).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), ...billed };
}

function toText(text = ""): string | undefined {
  const trimmed = text.replace(/[^ -~\xa0-\xff]/g, " ").trim();
  return trimmed === "" ? undefined : trimmed;
}

interface CardAcceptor {
  readonly name: string;
  readonly city: string;
  /** ISO 3166-1 alpha-2, blank where none was sent, or else what was sent instead. */
  readonly country: string;
}

/** What a network tells in data elements of its own layout. */
interface Layout {
  readAcceptor(location: string): CardAcceptor;
  /** DE22, first two digits. */
  readonly entryModes: Readonly<Record<string, EntryMode>>;
  /** How the Cardholder was there, where it matters. */
  readonly presence: "recurring" | "online" | undefined;
  readonly supportsPartial: boolean;
  /** The security code. */
  readonly cvv: string | undefined;
  /** In base64. */
  readonly cavv: string | undefined;
  readonly use: SaidOfUse;
}

function findLayout(dialect: Dialect, fields: Fields): Layout {
  switch (dialect.layout) {
    case "visa":
      return readVisa(fields, dialect);
    case "mastercard":
      return { ...readMastercard(fields), readAcceptor: mastercardAcceptor };
    default:
      return { ...readMastercard(fields), readAcceptor: toAcceptor([0, 23], [23, 36], [38, 40]) };
  }
}

type Places = readonly [from: number, to: number];

function toAcceptor(...places: readonly [name: Places, city: Places, country: Places]) {
  return (location: string): CardAcceptor => {
    const [name = "", city = "", code = ""] = places.map(([from, to]) => location.slice(from, to));
    return { name, city, country: code.trim() };
  };
}

const commonModes = {
  "01": "keyed",
  "02": "magstripe",
  "05": "chip",
  "07": "contactless",
  "10": "ecommerce",
  "90": "magstripe",
  "91": "contactless",
  "95": "chip",
} as const satisfies Record<string, EntryMode>;

/** 79 and 80: the chip could not be read. */
const mastercardModes = {
  ...commonModes,
  "06": "keyed",
  "09": "ecommerce",
  "79": "keyed",
  "80": "magstripe",
  "81": "ecommerce",
  "82": "ecommerce",
} as const satisfies Record<string, EntryMode>;

const unitedStates =
  "AK AL AR AZ CA CO CT DC DE FL GA HI IA ID IL IN KS KY LA MA MD ME MI MN MO MS MT " +
  "NC ND NE NH NJ NM NV NY OH OK OR PA RI SC SD TN TX UT VA VT WA WI WV WY";
/** Their codes are those of ISO 3166-1 too. */
const territories = "AS GU MP PR UM VI";
const provinces = "AB BC MB NB NL NS NT NU ON PE QC SK YT";

const countryOfState = new Map([
  ...unitedStates.split(" ").map((state) => [state, "US"] as const),
  ...territories.split(" ").map((territory) => [territory, territory] as const),
  ...provinces.split(" ").map((province) => [province, "CA"] as const),
]);

const mastercardPlaces = toAcceptor([0, 22], [23, 36], [37, 40]);

/** Two letters are a state of the United States or a province of Canada: `CA` is California. */
function mastercardAcceptor(location: string): CardAcceptor {
  const acceptor = mastercardPlaces(location);
  const { country: code } = acceptor;
  return { ...acceptor, country: toAlpha2(code) ?? countryOfState.get(code) ?? (code && unknownCode) };
}

/** As sent, it could be another country's alpha-2 code. */
const unknownCode = "?";

const recurringPresence = "4";
const onlinePresence = "5";

/** DE48 subelements 43, 61 and 92, and subfield 4 of DE61. */
function readMastercard(fields: Fields): Omit<Layout, "readAcceptor"> {
  const additional = readSubelements(fields[48]);
  const presence = fields[61]?.[3];
  return {
    entryModes: mastercardModes,
    presence:
      presence === recurringPresence ? "recurring" : presence === onlinePresence ? "online" : undefined,
    supportsPartial: additional.get("61")?.[0] === "1",
    cvv: additional.get("92"),
    cavv: additional.get("43")?.trim(),
    use: readMastercardUse(fields, additional, presence === onlinePresence),
  };
}

/** A category, then subelements of two digits, two digits of length and a value. */
export function readSubelements(additional = ""): Map<string, string> {
  const found = new Map<string, string>();
  let rest = /^\d/.test(additional) ? additional : additional.slice(1);
  while (rest !== "") {
    const [, id, length] = /^(\d\d)(\d\d)/.exec(rest) ?? [];
    if (id === undefined || rest.length < 4 + Number(length)) return new Map();
    found.set(id, rest.slice(4, 4 + Number(length)));
    rest = rest.slice(4 + Number(length));
  }
  return found;
}

/** DE60: positions 9 and 10 (mail, phone and e-commerce), and 12. DE126: fields 9, 10 and 13. */
function readVisa(fields: Fields, dialect: Dialect): Layout {
  const digits = readDigits(fields[60] ?? "", dialect);
  const indicator = digits.slice(8, 10);
  const { cvv, cavv, environment } = readPrivateUse(writeText(fields[126] ?? "", dialect), dialect);
  const isRecurring = indicator === "02" || environment === "R";
  return {
    readAcceptor: toAcceptor([0, 25], [25, 38], [38, 40]),
    entryModes: commonModes,
    presence: isRecurring ? "recurring" : /^0[5-9]$/.test(indicator) ? "online" : undefined,
    supportsPartial: ["1", "3"].includes(digits[11] ?? ""),
    cvv,
    cavv,
    use: readVisaUse(digits, fields[22]?.slice(0, 2), environment?.trim()),
  };
}

/** In BCD, as the network sends them, or in characters, as gateways do. */
function readDigits(value: string, dialect: Dialect): string {
  return /^\d*$/.test(value) ? value : Buffer.from(writeText(value, dialect)).toString("hex");
}

/** The lengths of its fields 1 to 13, in bytes. */
const privateUseLengths = [25, 57, 57, 18, 8, 17, 17, 20, 20, 6, 2, 3, 1];

const cavvField = 9;

/** A bitmap of eight bytes, then the fields that it names. */
function readPrivateUse(
  bytes: Uint8Array,
  dialect: Dialect,
): { readonly cvv?: string; readonly cavv?: string; readonly environment?: string } {
  const found = new Map<number, string>();
  let cavv: string | undefined;
  let start = 8;
  for (const [index, length] of privateUseLengths.entries()) {
    const isSent = ((bytes[index >> 3] ?? 0) & (0x80 >> (index & 7))) !== 0;
    if (!isSent) continue;
    const field = bytes.subarray(start, start + length);
    // It is bytes, and no text.
    if (index + 1 === cavvField) cavv = Buffer.from(field).toString("base64");
    else found.set(index + 1, readText(field, dialect));
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

/** A token that pays is named as in its request. */
export function readTokenReference(fields: Message["fields"]): { readonly tokenReference?: string } {
  const tokenReference = toLimitedText(readToken(fields).get("09"), 64);
  return tokenReference === undefined ? {} : { tokenReference };
}

/** DE48, subelement 33. */
export function readToken(fields: Message["fields"]): Map<string, string> {
  return readParts(readSubelements(fields[de.additional]).get("33"));
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
