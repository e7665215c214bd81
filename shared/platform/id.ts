import { createHash, randomInt as cryptoRandomInt, randomBytes } from "node:crypto";
import { decodeTime, encodeTime, monotonicFactory } from "ulid";
import { checkLength, computeCheck, type IdKind, idPrefixes, ulidAlphabet } from "../contract/identifiers.ts";
import { now } from "./clock.ts";

const inOrder = () => monotonicFactory(() => cryptoRandomInt(0, 2 ** 32) / 2 ** 32);
let ulid = inOrder();
let madeMs = 0;
const clockErrorMs = 60_000;

function nextUlid(): string {
  const ms = now().getTime();
  // A clock that was wrong is right again: else all later ids would be of the time that it told.
  if (ms < madeMs - clockErrorMs) ulid = inOrder();
  madeMs = ms;
  return ulid(ms);
}

/**
 * A new prefixed ULID, whose last four characters check the others. Ids of one process are in
 * order, even within a millisecond: the last of the random characters count up.
 */
export function newId(kind: IdKind): string {
  const made = nextUlid();
  const body = made.slice(0, ulidTimeLength) + made.slice(ulidTimeLength + checkLength);
  return `${idPrefixes[kind]}_${body}${computeCheck(kind, body)}`;
}

/** The id of another kind that is made of an id: always the same. */
export function toOtherId(kind: IdKind, id: string): string {
  const body = withoutPrefix(id).slice(0, -checkLength);
  return `${idPrefixes[kind]}_${body}${computeCheck(kind, body)}`;
}

/** The id of what others name by a text: the same whenever it is made. It has no time. */
export function idOfText(kind: IdKind, named: string): string {
  const bytes = createHash("sha256").update(named).digest();
  const length = 26 - checkLength;
  const body = Array.from({ length }, (_, index) =>
    ulidAlphabet.charAt((bytes[index] ?? 0) & (index === 0 ? 7 : 31)),
  ).join("");
  return `${idPrefixes[kind]}_${body}${computeCheck(kind, body)}`;
}

/** As `newId`, in one of 16 shards: the first random character says which. */
export function newShardedId(kind: IdKind, shard: number): string {
  const made = newId(kind);
  const at = idPrefixes[kind].length + 1 + ulidTimeLength;
  const half = ulidAlphabet.indexOf(made[at] ?? "") & 16;
  const body = `${made.slice(idPrefixes[kind].length + 1, at)}${ulidAlphabet[half | shard]}${made.slice(at + 1, -checkLength)}`;
  return `${idPrefixes[kind]}_${body}${computeCheck(kind, body)}`;
}

/** Below the time: a place in order, and what tells apart what has the same place. */
const [placeBits, apartBits] = [44n, 11n];

/**
 * An id that is the same whenever it is made of the same. Those of one millisecond sort by `place`,
 * then by `apart`, of which the last bits count.
 */
export function orderedId(
  kind: IdKind,
  { at, shard, place, apart }: { at: Date; shard: number; place: bigint; apart: number },
): string {
  const order = (BigInt.asUintN(Number(placeBits), place) << apartBits) | BigInt(apart & 2047);
  const digits = Array.from({ length: 11 }, (_, index) =>
    ulidAlphabet.charAt(Number((order >> BigInt(5 * (10 - index))) & 31n)),
  );
  const body = `${encodeTime(at.getTime(), ulidTimeLength)}${ulidAlphabet.charAt(shard)}${digits.join("")}`;
  return `${idPrefixes[kind]}_${body}${computeCheck(kind, body)}`;
}

export function shardOfId(id: string): number {
  return ulidAlphabet.indexOf(withoutPrefix(id)[ulidTimeLength] ?? "") & 15;
}

export function newChangeId(): string {
  return nextUlid();
}

/** Its first ten characters are enough. */
export function changeIdTime(changeId: string): number {
  return decodeTime(changeId.padEnd(26, "0"));
}

/** Sorts before all changes made at that time or later, and after all earlier ones. */
export function earliestChangeId(at: Date): string {
  return encodeTime(at.getTime(), 10);
}

/** A ULID begins with its time. */
export const ulidTimeLength = 10;
export { ulidAlphabet };

/** The ULID, by which others may know what it is the id of. */
export function withoutPrefix(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}

/** How all ids of a kind begin. */
export function idStart(kind: IdKind): string {
  return `${idPrefixes[kind]}_`;
}

export function idTime(id: string): Date {
  return new Date(decodeTime(withoutPrefix(id)));
}

/** Sorts before all ids of the kind made at that time or later, and after all earlier ones. */
export function earliestId(kind: IdKind, at: Date): string {
  return `${idPrefixes[kind]}_${encodeTime(at.getTime(), 10)}`;
}

/** In base64url. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

/** At least `minimum`, and less than `maximum`. */
export function randomInteger(minimum: number, maximum: number): number {
  return cryptoRandomInt(minimum, maximum);
}
