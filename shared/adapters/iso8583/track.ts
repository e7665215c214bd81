import type { Message } from "./codec.ts";

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
export function readTrack(fields: Message["fields"]): Track | undefined {
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
    ...(expiry !== undefined && { expiry }),
    ...(serviceCode !== undefined && { serviceCode }),
    ...(code.length === 3 && { code }),
  };
}

/** In BER-TLV (ISO/IEC 8825-1), of tags with one or two bytes. Undefined if it is not there. */
function findTag(bytes: Buffer, wanted: number): Buffer | undefined {
  for (let at = 0; at < bytes.length; ) {
    const tag = bytes[at] ?? 0;
    at += (tag & 0x1f) === 0x1f ? 2 : 1;
    const first = bytes[at] ?? 0;
    const isLong = first === 0x81;
    const length = isLong ? (bytes[at + 1] ?? 0) : first;
    at += isLong ? 2 : 1;
    if (tag === wanted) return bytes.subarray(at, at + length);
    at += length;
  }
  return undefined;
}
