import { maximumAmountMinor } from "../../contract/primitives.ts";
import { defined } from "../../platform/pick.ts";
import { type Identity, isFiller, toTime } from "../authorization-identity.ts";
import type { Fault, Message } from "./codec.ts";
import type { Dialect } from "./dialect.ts";
import { de, Missing, readBilling, requireFrom, type Values } from "./fields.ts";
import { type PointOfSale, readPointOfSale, readTokenReference } from "./point-of-sale.ts";

/** What the platform can answer, by its message type without the sign of a repetition. */
const messageTypes = {
  "0100": "authorization",
  "0120": "advice",
  "0400": "reversal",
  "0420": "reversal",
  "0800": "management",
} as const;
type MessageType = keyof typeof messageTypes;

/** A request about a card, read from its data elements. */
export interface CardRequest extends PointOfSale {
  readonly is: "authorization" | "advice" | "reversal";
  readonly mti: Exclude<MessageType, "0800">;
  /** It may have been sent before, with another DE7. */
  readonly isRepeated: boolean;
  readonly purpose: "purchase" | "cash" | "inquiry" | "refund";
  readonly cardNumber: string;
  /** Its own, by which a repetition is known. */
  readonly identity: Identity;
  /** The authorization that it is about, if that is an earlier message. */
  readonly original?: Identity;
  readonly originalAt?: Date;
  readonly occurredAt: Date;
  /** In minor units of the card's currency; 0 where the message has none. */
  readonly amount: number;
  readonly billingCurrency?: string;
  /** What a reversal leaves; undefined if nothing. */
  readonly remaining?: number;
  /** An advice that the network approved or declined in the platform's place. */
  readonly standIn?: "approved" | "declined";
  readonly expiry?: string;
  readonly track?: Track;
  readonly pinBlock?: string;
  /** The network's name of the digital wallet token that pays. */
  readonly tokenReference?: string;
}

export type Request =
  | CardRequest
  | { readonly is: "management" }
  /** An answer of the network, which needs none. */
  | { readonly is: "answer" }
  | { readonly is: "unsupported"; readonly what: string }
  | Faulty;

const purposes: Readonly<Record<string, CardRequest["purpose"]>> = {
  "00": "purchase",
  "01": "cash",
  "09": "purchase",
  "10": "purchase",
  "11": "purchase",
  "17": "cash",
  "20": "refund",
  "30": "inquiry",
  "31": "inquiry",
};

export function readRequest(message: Message, dialect: Dialect, now: Date): Request {
  const { mti } = message;
  // Odd: an answer. The last digit is odd in a repetition.
  if (Number(mti[2]) % 2 === 1) return { is: "answer" };
  const first = `${mti.slice(0, 3)}${mti[3] === "1" ? "0" : mti[3]}`;
  if (!(first in messageTypes)) return { is: "unsupported", what: `message type ${mti}` };
  const type = first as MessageType;
  // To agree and go on with the old keys would decline every PIN.
  const isOfKeys = type === "0800" && message.fields[de.management]?.startsWith("1");
  if (isOfKeys) return { is: "unsupported", what: "network management of keys (DE70)" };
  if (type === "0800") return { is: "management" };
  return orFaulty(() => readCardRequest(message, type, { dialect, now }));
}

/** What is read, or the fault for which it is refused. */
export function orFaulty<Read>(read: () => Read): Read | Faulty {
  try {
    return read();
  } catch (error) {
    if (error instanceof Missing)
      return { is: "faulty", fault: { field: error.field, reason: error.message } };
    throw error;
  }
}

interface Faulty {
  readonly is: "faulty";
  readonly fault: Fault;
}

function readCardRequest(
  { mti: sent, fields }: Message,
  mti: CardRequest["mti"],
  { dialect, now }: { readonly dialect: Dialect; readonly now: Date },
): Request {
  const required = requireFrom(fields);
  const is = messageTypes[mti];
  const transmittedAt = required(7);
  const occurredAt = toTime(transmittedAt, now);
  if (!occurredAt) throw new Missing(7, "is no time");
  const systemTrace = required(11);
  const track = readTrack(fields);
  const cardNumber = fields[2] ?? track?.cardNumber ?? required(2);
  if (!/^\d{12,19}$/.test(cardNumber)) throw new Missing(2, "is no card number");
  if (track && track.cardNumber !== cardNumber) throw new Missing(track.field, "has another card number");
  const code = is === "reversal" ? (fields[3] ?? "00") : required(3);
  const purpose = purposes[code.slice(0, 2)];
  if (purpose === undefined) return { is: "unsupported", what: `processing code ${code}` };
  const identity = { acquirer: required(32), retrievalReference: required(37), systemTrace, transmittedAt };
  const needsAmount = is !== "reversal" && purpose !== "inquiry";
  const billed = readBilling(fields);
  const amount = toLimited(
    billed === undefined ? de.amount : de.billingAmount,
    Number(billed ?? (needsAmount ? required(de.amount) : (fields[de.amount] ?? "0"))),
  );
  if (purpose !== "inquiry") requireCurrencies(fields, required);
  const advised = is === "advice" ? readStandIn(fields[39]) : {};
  // A decline is of the message itself.
  const original = advised.standIn === "declined" ? undefined : fields[de.original];
  const named = readOriginal(original, is, identity, now);
  const isNothing = amount === 0 && (purpose === "cash" || (purpose === "purchase" && named.original));
  if (is === "authorization" && isNothing)
    return { is: "unsupported", what: "an authorization of 0 that is no account verification" };
  if (is === "authorization" && purpose === "cash" && named.original)
    return { is: "unsupported", what: "an authorization of cash that names another one" };
  const billingCurrency = fields[billed === undefined ? de.amountIn : de.billingAmountIn];
  return {
    is,
    mti,
    isRepeated: sent !== mti,
    purpose,
    cardNumber,
    identity,
    ...named,
    occurredAt,
    amount,
    ...(billingCurrency !== undefined && { billingCurrency }),
    ...(is === "reversal" && { remaining: readRemaining(fields) }),
    ...readPointOfSale(fields, dialect),
    ...advised,
    ...(fields[14] !== undefined && { expiry: fields[14] }),
    ...(track && { track }),
    ...readTokenReference(fields),
    ...(fields[52] !== undefined && { pinBlock: readPinBlock(fields[52], fields[53]) }),
  };
}

const format0Bytes = 8;
/** DE53, positions 5 and 6: format 0 by Visa's list, and by Mastercard's. */
const format0: ReadonlySet<string | undefined> = new Set(["01", "10", undefined]);

/** DE53 tells the format of a block of 8 bytes. Others have 8 too, and must not be opened as it. */
function readPinBlock(block: string, control: string | undefined): string {
  if (block.length / 2 === format0Bytes && !format0.has(control?.slice(4, 6)))
    throw new Missing(53, "names another format of PIN blocks than ISO 9564-1 format 0");
  return block;
}

/** An amount says nothing without its currency. DE95 is in that of the transaction. */
function requireCurrencies(fields: Values, required: (field: number) => string): void {
  if (readBilling(fields) !== undefined) required(de.billingAmountIn);
  if ((fields[de.amount] ?? fields[de.remaining]) !== undefined) required(de.amountIn);
}

function toLimited(field: number, amount: number): number {
  if (amount > maximumAmountMinor) throw new Missing(field, "is too large");
  return amount;
}

/**
 * DE90: message type, trace, time and acquirer. The reference is the message's own. It may be a
 * filler but in a reversal, which has to name a message: by its reference, where trace and time
 * are zeros.
 */
function readOriginal(
  element: string | undefined,
  is: CardRequest["is"],
  own: Identity,
  now: Date,
): Pick<CardRequest, "original" | "originalAt"> {
  if (element === undefined || (is !== "reversal" && isFiller(element))) return {};
  const systemTrace = element.slice(4, 10);
  const transmittedAt = element.slice(10, 20);
  const acquirer = element.slice(20, 31);
  // Zeros: the sender has not kept it.
  const isUnknown = (part: string) => /^0*$/.test(part);
  const originalAt = toTime(transmittedAt, now);
  const isByReference = isUnknown(element.slice(4, 20)) && !isFiller(own.retrievalReference);
  if (!isByReference && (isUnknown(systemTrace) || !originalAt))
    throw new Missing(de.original, "does not name a message");
  const original = { ...own, systemTrace, transmittedAt, ...(!isFiller(acquirer) && { acquirer }) };
  return { original, ...(originalAt && { originalAt }) };
}

/** DE95 begins with the actual amount, in the currency of the transaction (DE4). */
function readRemaining(fields: Values): number {
  const remaining = fields[de.remaining]?.slice(0, 12).trim();
  if (!remaining) return 0;
  if (!/^\d{12}$/.test(remaining)) throw new Missing(de.remaining, "must begin with an amount of 12 digits");
  return toLimited(de.remaining, toBilling(Number(remaining), fields));
}

/** An amount of the transaction's currency in that of the card, at the rate of the message. */
function toBilling(amount: number, fields: Values): number {
  const [transaction, billing] = [fields[de.amount], readBilling(fields)];
  if (billing === undefined) return amount;
  if (transaction === undefined || Number(transaction) === 0) throw new Missing(de.amount);
  return Math.round((amount * Number(billing)) / Number(transaction));
}

/** DE39 of an advice is what was answered in the platform's place, also by a chip: Y1, Y3. */
function readStandIn(responseCode: string | undefined): { standIn?: "approved" | "declined" } {
  if (!responseCode?.trim()) return {};
  const isApproved = ["00", "08", "10", "11", "16", "32", "85", "87", "Y1", "Y3"].includes(responseCode);
  return { standIn: isApproved ? "approved" : "declined" };
}

/** What the magnetic stripe says, or the chip in its place. */
export interface Track {
  /** The data element that it is from. */
  readonly field: number;
  readonly cardNumber: string;
  /** Year and month, YYMM. */
  readonly expiry?: string;
  readonly serviceCode?: string;
  /** The verification code: after the index and value of a PIN, which have five digits. */
  readonly code?: string;
}

/** Where the code begins among the issuer's own digits. */
const codeAt = 5;

/** DE35 and DE45: track 2, track 1. DE55, tag 57: what the chip has in place of track 2. */
function readTrack(fields: Values): Track | undefined {
  const chip = fields[55] && findTag(Buffer.from(fields[55], "hex"), 0x57)?.toString("hex").replace(/f$/, "");
  return (
    toTrack(35, /^(\d+)[=D](.*)$/, fields[35]) ??
    toTrack(45, /^[A-Z](\d+)\^[^^]*\^(.*)$/, fields[45]) ??
    toTrack(55, /^(\d+)d(.*)$/, chip)
  );
}

function toTrack(field: number, pattern: RegExp, given: string | undefined): Track | undefined {
  const [, cardNumber, rest = ""] = pattern.exec(given ?? "") ?? [];
  if (cardNumber === undefined) return undefined;
  // Expiry and service code may be a separator each, where there is none.
  const [, expiry, serviceCode, own = ""] = /^(?:(\d{4})|.)(?:(\d{3})|.)(\d*)/.exec(rest) ?? [];
  const code = own.slice(codeAt, codeAt + 3);
  return {
    field,
    cardNumber,
    ...defined({ expiry, serviceCode }),
    ...(code.length === 3 && { code }),
  };
}

/** In BER-TLV (ISO/IEC 8825-1), with zeros between objects (EMV). Undefined if it is not there. */
function findTag(bytes: Buffer, wanted: number): Buffer | undefined {
  let at = 0;
  const next = () => bytes[at++] ?? 0;
  while (at < bytes.length) {
    const tag = next();
    if ((tag & 0x1f) === 0x1f) while (next() >= 0x80);
    const first = tag === 0 ? 0 : next();
    const digits = Math.max(first - 0x80, 0);
    const length = digits === 0 ? first : Number.parseInt(bytes.toString("hex", at, at + digits), 16);
    at += digits;
    if (tag === wanted) return bytes.subarray(at, at + length);
    at += length;
  }
  return undefined;
}
