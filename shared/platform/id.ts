import { randomInt as cryptoRandomInt, randomBytes } from "node:crypto";
import { decodeTime, encodeTime, monotonicFactory } from "ulid";
import { type IdKind, idPrefixes } from "../contract/identifiers.ts";
import { now } from "./clock.ts";

const ulid = monotonicFactory(() => cryptoRandomInt(0, 2 ** 32) / 2 ** 32);

/** A new prefixed, time-ordered identifier; ids made by one process in one millisecond are still in order. */
export function newId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${ulid(now().getTime())}`;
}

/** An identifier of a change, which has no kind: in the order of time, as all are. */
export function newChangeId(): string {
  return ulid(now().getTime());
}

/** When a change was made, in milliseconds since the epoch. */
export function changeIdTime(changeId: string): number {
  return decodeTime(changeId);
}

/** What no change that was made at that time or later comes before, and every earlier one does. */
export function earliestChangeId(at: Date): string {
  return encodeTime(at.getTime(), 10);
}

/** An identifier's part that is unique by itself: what the processor's side has for it, and the reference of a record that the network gave none. */
export function withoutPrefix(id: string): string {
  return id.slice(id.indexOf("_") + 1);
}

/** When an identifier was made, in milliseconds since the epoch. */
export function madeAt(id: string): Date {
  return new Date(decodeTime(withoutPrefix(id)));
}

/** What no identifier of the kind that was made at that time or later comes before, and every earlier one does. */
export function earliestId(kind: IdKind, at: Date): string {
  return `${idPrefixes[kind]}_${encodeTime(at.getTime(), 10)}`;
}

/** `bytes` random bytes in base64url, for credentials and tokens. */
export function randomToken(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

/** A random integer from `minimum` up to, not including, `maximum`. */
export function randomInteger(minimum: number, maximum: number): number {
  return cryptoRandomInt(minimum, maximum);
}
