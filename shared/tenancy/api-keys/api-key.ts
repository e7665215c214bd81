import * as z from "zod";
import { Currency } from "../../contract/enums.ts";
import { id, integerEnum, timestamp } from "../../contract/primitives.ts";
import { Role } from "../../contract/roles.ts";
import { randomToken } from "../../platform/id.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import { hashUnder, pepperMark, readPeppers } from "./pepper.ts";

/** What a key and its holder both have. */
export const holderFields = {
  tenantId: id("tenant"),
  apiUserId: id("apiUser"),
  name: z.string(),
  /** None: everything. */
  role: Role.optional(),
  operations: z.array(z.string()).optional(),
  createdAt: timestamp,
  createdBy: z.string(),
  /** Present once the key no longer opens anything. */
  revokedAt: timestamp.optional(),
  revokedBy: z.string().optional(),
};

/** `validUntil`: when the key stops working, after a rotation. */
const common = { ...holderFields, validUntil: timestamp.optional() };

/**
 * What is stored of an API key, under its keyed hash. The currency is its Program's, which never
 * changes.
 */
export const ApiKey = z.discriminatedUnion("level", [
  z.object({
    ...common,
    level: z.literal("program"),
    programId: id("program"),
    currency: integerEnum(Currency),
  }),
  z.object({ ...common, level: z.literal("tenant") }),
]);
export type ApiKey = z.output<typeof ApiKey>;

export const apiKeys = defineEntity({
  name: "api key",
  table: "accounts",
  schema: ApiKey,
  key: (keyHash: string) => ({ pk: `KEY#${keyHash}`, sk: "KEY" }),
});

const form = /^cik_[A-Za-z0-9_-]{43}$/;

/** A new API key of 256 random bits. The prefix lets secret scanners find a leaked one. */
export function newApiKey(): string {
  return `cik_${randomToken(32)}`;
}

/** False if the value cannot be a key: no look-up needed. */
export function hasApiKeyForm(value: string): boolean {
  return form.test(value);
}

/** How a key is stored: its hash, and the name of the pepper that made it. */
export interface KeyHash {
  readonly keyHash: string;
  readonly pepper: string;
}

/**
 * HMAC-SHA-256 under the environment's pepper, in hex. Keys are found by hash: no secret is
 * compared, and a copy of the table, or another environment's key, opens nothing.
 */
export async function hashNewKey(apiKey: string): Promise<KeyHash> {
  const [current] = await possibleHashes(apiKey, { isFresh: true });
  return current;
}

/** Where a key may be stored: first as new ones are, then under the other pepper. */
export async function possibleHashes(
  apiKey: string,
  { isFresh = false } = {},
): Promise<readonly [KeyHash, ...KeyHash[]]> {
  const { current, other } = await readPeppers({ isFresh });
  const hash = (pepper: string) => ({ keyHash: hashUnder(pepper, apiKey), pepper: pepperMark(pepper) });
  return [hash(current), ...(other === undefined ? [] : [hash(other)])];
}
