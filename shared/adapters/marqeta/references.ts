import { sha256 } from "../../platform/sha256.ts";
import { isNamed, type Transaction } from "./messages.ts";

/** `eventId` of what a transaction did. The same for its JIT Funding request and its webhook. */
export function toEventId({ token }: Pick<Transaction, "token">, step?: "declined" | "cleared"): string {
  return `marqeta:${token}${step ? `:${step}` : ""}`;
}

/** Ties a later transaction to its authorization, or to the transaction that came before it. */
interface Tie {
  readonly authorizationId: string;
  /** Where what came before may be an increment: its event knows the authorization. */
  readonly precedingEventId?: string;
}

export function findTie(transaction: Transaction): Tie | undefined {
  const {
    token,
    original_transaction_token: original,
    preceding_related_transaction_token: related,
    preceding_transaction: before,
    incremental_authorization_transaction_tokens: increments = [],
  } = transaction;
  if (original !== undefined && original !== token) return { authorizationId: toReference(original) };
  const preceding = [related, before?.token, ...increments].find((one) => one !== undefined && one !== token);
  if (preceding === undefined) return undefined;
  return { authorizationId: toReference(preceding), precedingEventId: toEventId({ token: preceding }) };
}

/** @throws UnknownTransaction */
export function requireTie(transaction: Transaction): Tie {
  const found = findTie(transaction);
  if (found !== undefined) return found;
  throw new UnknownTransaction("names no authorization (preceding_related_transaction_token)");
}

/** Why a transaction cannot be an event. */
export class UnknownTransaction extends Error {}

/** One of the platform's, of 64 characters at most. @throws UnknownTransaction */
export function toReference(token: string): string {
  if (!isNamed(token)) throw new UnknownTransaction("has zeros in the place of a token");
  return token.length <= 64 && /^[\x21-\x7e]+$/.test(token) ? token : sha256(token);
}
