import * as z from "zod";
import { id } from "../../shared/contract/primitives.ts";
import { CodeSource, Envelope } from "../../shared/contract/vault.ts";
import { defineEntity } from "../../shared/platform/table/entity.ts";

const { key } = Envelope.shape;

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
  key: (programId: string, cardId: string, numberId?: string) => ({
    pk: `${programId}#${cardId}`,
    sk: numberId === undefined ? "NUMBER" : `NUMBER#${numberId}`,
  }),
});

/** Finds a number's Card, and makes sure that no other Card has the number. */
export const numberIndex = defineEntity({
  name: "number index",
  table: "vault",
  schema: z.object({
    ...card,
    key,
    /** Absent: the Card's first number. */
    numberId: id("plastic").optional(),
    /** The plastic for which the number was drawn, with its expiry. Absent: the Card's first. */
    plasticId: id("plastic").optional(),
    expiryMonth: z.int(),
    expiryYear: z.int(),
  }),
  key: (hash: string) => ({ pk: `NUMBER#${hash}`, sk: "NUMBER_INDEX" }),
});

export const deviceKeys = defineEntity({
  name: "device key",
  table: "vault",
  schema: z.object({ ...card, usedAt: z.string() }),
  key: (thumbprint: string) => ({ pk: `DEVICE_KEY#${thumbprint}`, sk: "DEVICE_KEY" }),
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
  key: (programId: string, cardId: string, numberId?: string) => ({
    pk: `${programId}#${cardId}`,
    sk: numberId === undefined ? "PIN" : `PIN#${numberId}`,
  }),
});

export const nonces = defineEntity({
  name: "nonce",
  table: "vault",
  schema: z.object({ ...card, transId: id("transaction"), usedAt: z.string() }),
  key: (hash: string) => ({ pk: `NONCE#${hash}`, sk: "NONCE" }),
});

export const pinZones = defineEntity({
  name: "pin zone",
  table: "vault",
  schema: z.object({ key: Envelope }),
  key: (zone: string) => ({ pk: `PIN_ZONE#${zone}`, sk: "PIN_ZONE" }),
});

/** Keys that compute codes and PINs' values, where they are not in AWS Payment Cryptography. */
export const codeKeys = defineEntity({
  name: "code key",
  table: "vault",
  schema: z.object({ key: Envelope }),
  key: (use: string, index: number) => ({ pk: `CODE_KEY#${use}#${index}`, sk: "CODE_KEY" }),
});

/** What a wallet was given, by a hash of the secret in it. */
export const walletPayloads = defineEntity({
  name: "wallet payload",
  table: "vault",
  schema: z.object({
    ...card,
    wallet: z.enum(["apple_pay", "google_pay"]),
    goodUntil: z.string(),
    /** Absent until a wallet has used it. */
    usedAt: z.string().optional(),
    expiresAtSeconds: z.int(),
  }),
  key: (hash: string) => ({ pk: `WALLET_PAYLOAD#${hash}`, sk: "WALLET_PAYLOAD" }),
});

/** The simulated wallet of a sandbox: what it is known by, and its private keys. */
export const sandboxWallets = defineEntity({
  name: "sandbox wallet",
  table: "vault",
  schema: z.object({
    /** Certificates: PEM, and twice base64. */
    root: z.string(),
    issuer: z.string(),
    leaf: z.string(),
    /** PEM. */
    googleKey: z.string(),
    secrets: Envelope,
  }),
  key: () => ({ pk: "SANDBOX_WALLET", sk: "SANDBOX_WALLET" }),
});
