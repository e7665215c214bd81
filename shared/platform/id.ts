import { randomInt as cryptoRandomInt, randomBytes } from "node:crypto";
import { decodeTime, encodeTime, monotonicFactory } from "ulid";
import { type IdKind, idPrefixes } from "../contract/identifiers.ts";
import { now } from "./clock.ts";

const ulid = monotonicFactory(() => cryptoRandomInt(0, 2 ** 32) / 2 ** 32);

/** A new prefixed ULID. Ids of one process are in order, even within a millisecond. */
export function newId(kind: IdKind): string {
  return `${idPrefixes[kind]}_${ulid(now().getTime())}`;
}

export function newChangeId(): string {
  return ulid(now().getTime());
}

export function changeIdTime(changeId: string): number {
  return decodeTime(changeId);
}

/** Sorts before all changes made at that time or later, and after all earlier ones. */
export function earliestChangeId(at: Date): string {
  return encodeTime(at.getTime(), 10);
}

/** A ULID begins with its time. */
export const ulidTimeLength = 10;
export const ulidAlphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** The ULID: the id at the processor, and a record's reference if the network sent none. */
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

/** From `minimum` up to, not including, `maximum`. */
export function randomInteger(minimum: number, maximum: number): number {
  return cryptoRandomInt(minimum, maximum);
}
