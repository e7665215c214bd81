import * as z from "zod";
import { id } from "../../shared/contract/primitives.ts";
import { CodeSource } from "../../shared/contract/vault.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";
import { vaultKey } from "../../shared/platform/table/vault-keys.ts";

/** The ARN of the KMS key that was used, so that it can be replaced. */
const key = z.string();

/** Bytes under a data key of their own, which is stored wrapped: all in base64url. */
export const Envelope = z.object({
  key,
  wrappedKey: z.string(),
  iv: z.string(),
  tag: z.string(),
  sealed: z.string(),
});
export type Envelope = z.output<typeof Envelope>;

const card = { programId: id("program"), cardId: id("card") };

export const cardNumbers = defineEntity({
  name: "card number",
  table: "vault",
  schema: z.object({
    number: Envelope,
    /** Which keys compute its codes. */
    keyIndex: z.int(),
    createdAt: z.string(),
    /** The times of the last ten reveals. */
    reveals: z.array(z.string()),
    /** The wrong verification codes of the last 24 hours: times, and keyed hashes. */
    wrongCodes: z.array(z.object({ at: z.string(), attempt: z.string(), from: CodeSource })),
    version: z.int(),
  }),
  key: vaultKey.cardNumber,
});

/** Finds a number's Card, and makes sure that no other Card has the number. */
export const numberIndex = defineEntity({
  name: "number index",
  table: "vault",
  schema: z.object({ ...card, key, expiryMonth: z.int(), expiryYear: z.int() }),
  key: vaultKey.numberIndex,
});

export const deviceKeys = defineEntity({
  name: "device key",
  table: "vault",
  schema: z.object({ ...card, usedAt: z.string() }),
  key: vaultKey.deviceKey,
});

export const pins = defineEntity({
  name: "pin",
  table: "vault",
  schema: z.object({
    /** The PIN's verification value (PVV). Absent from when the Card was closed. */
    verification: z.string().optional(),
    /** Which key computed it (PVKI). Absent with it. */
    keyIndex: z.int().optional(),
    /** The wrong ones since the last right one, each as a hash of question and PIN block. */
    attempts: z.array(z.string()),
    setAt: z.string(),
  }),
  key: vaultKey.pin,
});

export const nonces = defineEntity({
  name: "nonce",
  table: "vault",
  schema: z.object({ ...card, transId: id("transaction"), usedAt: z.string() }),
  key: vaultKey.nonce,
});

export const pinZones = defineEntity({
  name: "pin zone",
  table: "vault",
  schema: z.object({ key: Envelope }),
  key: vaultKey.pinZone,
});

/** Keys that compute codes and PINs' values, where they are not in AWS Payment Cryptography. */
export const codeKeys = defineEntity({
  name: "code key",
  table: "vault",
  schema: z.object({ key: Envelope }),
  key: vaultKey.codeKey,
});
