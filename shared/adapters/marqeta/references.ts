import { sha256 } from "../../platform/sha256.ts";
import type { Transaction } from "./messages.ts";

/** `eventId` of what a transaction did. The same for its JIT Funding request and its webhook. */
export function toEventId({ token }: Pick<Transaction, "token">, step?: "declined" | "cleared"): string {
  return `marqeta:${token}${step ? `:${step}` : ""}`;
}

/** Ties later transactions of an authorization to the first. */
export function authorizationOf(transaction: Transaction): string | undefined {
  const { original_transaction_token: original, preceding_related_transaction_token: preceding } =
    transaction;
  const token = original ?? preceding;
  return token === undefined ? undefined : toReference(token);
}

/** @throws UnknownTransaction */
export function requireAuthorization(transaction: Transaction): string {
  const found = authorizationOf(transaction);
  if (found !== undefined) return found;
  throw new UnknownTransaction("names no authorization (preceding_related_transaction_token)");
}

/** Why a transaction cannot be an event. */
export class UnknownTransaction extends Error {}

/** References of the platform have 64 characters at most. */
export function toReference(token: string): string {
  return token.length <= 64 && /^[\x21-\x7e]+$/.test(token) ? token : sha256(token);
}
