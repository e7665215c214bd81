import * as z from "zod";
import { AccountDetails } from "./bank-account.ts";
import { Currency } from "./enums.ts";
import { id, integerEnum } from "./primitives.ts";
import { SandboxWallet, WalletPayload, WalletRequest } from "./wallet-payloads.ts";

/**
 * The vault's commands: other functions invoke it directly, never an API. Only the vault has card
 * numbers, codes and PINs in clear text.
 */

const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/, "must be 32 bytes in base64url");

const publicKeyFields = {
  /** An elliptic curve. */
  kty: z.literal("EC"),
  /** NIST's curve. */
  crv: z.literal("P-256"),
  /** 32 bytes in base64url, without padding. */
  x: coordinate,
  /** Written as `x`: both are a point of the curve. */
  y: coordinate,
};

/** A public key of P-256. Other members of a JWK are ignored. */
export const PublicJwk = z.object({
  ...publicKeyFields,
});
export type PublicJwk = z.output<typeof PublicJwk>;

/** How a key is agreed, and how content is encrypted: `alg` and `enc` of each JWE. */
export const jweAlgorithms = { alg: "ECDH-ES", enc: "A256GCM" } as const;
const { alg, enc } = jweAlgorithms;

/** The vault's own key. */
export const VaultJwk = z.object({
  ...publicKeyFields,
  /** How a key is agreed for it (RFC 7518). */
  alg: z.literal(alg),
});
export type VaultJwk = z.output<typeof VaultJwk>;

/** A compact JWE (RFC 7516). The key is agreed, so none is encrypted: its part is empty. */
export const compactJwe = () =>
  z
    .string()
    .max(4_096)
    .check(
      z.regex(/^[\w-]+\.[\w-]*\.[\w-]+\.[\w-]*\.[\w-]+$/, { error: "must be a compact JWE", abort: true }),
      z.refine(hasAlgorithms, `must have alg ${alg} and enc ${enc} in its header, and no encrypted key`),
    );

function hasAlgorithms(jwe: string): boolean {
  const [header = "", encryptedKey] = jwe.split(".");
  try {
    const given = JSON.parse(atob(header.replaceAll("-", "+").replaceAll("_", "/")));
    return given.alg === alg && given.enc === enc && encryptedKey === "";
  } catch {
    return false;
  }
}

const digits = (length: number) => z.string().regex(new RegExp(`^\\d{${length}}$`));
/** Networks assign eight digits since 2022, and six before. */
const Bin = z.string().regex(/^(\d{6}|\d{8})$/);
const expiry = { expiryMonth: z.int().min(1).max(12), expiryYear: z.int() };
const cardId = { programId: id("program"), cardId: id("card") };

const plasticId = id("plastic");

/** Which number of a Card: named by the first plastic with it. Absent: the Card's first number. */
const ofNumber = { numberId: plasticId.optional() };

/** What the vault needs to know of a plastic, whose number it may have to draw. */
export const VaultCard = z.object({
  ...cardId,
  /** Absent: the Card's first. */
  plasticId: plasticId.optional(),
  ...ofNumber,
  bin: Bin,
  lastFour: digits(4),
  ...expiry,
});
export type VaultCard = z.output<typeof VaultCard>;

const CardNumber = z.string().regex(/^\d{12,19}$/, "must be a card number");
/**
 * ISO 9564-1, under the PIN zone's key, in hexadecimal: 8 bytes of format 0 (triple DES), or 16 of
 * format 4 (AES).
 */
const PinBlock = z
  .string()
  .regex(/^([0-9A-Fa-f]{16}|[0-9A-Fa-f]{32})$/, "must be 8 or 16 bytes in hexadecimal");

/**
 * Where a verification code was read: printed (CVV2, CVC2), on the magnetic stripe (CVV, CVC), or
 * in the chip's equivalent of it (iCVV). They differ, so that none can be used in another's place.
 */
export const CodeSource = z.enum(["print", "stripe", "chip"]);
export type CodeSource = z.output<typeof CodeSource>;

/** Cardholder authentication verification value (AAV at Mastercard): 20 bytes in base64. */
const Cavv = z.string().regex(/^[A-Za-z0-9+/]{27}=$/, "must be 20 bytes in base64");

/** The same in a question's repetitions, which then count once. */
const attemptId = z.string().min(1).max(255);

const is = <const Outcome extends string>(outcome: Outcome) => z.object({ outcome: z.literal(outcome) });

/** The PIN was not compared, or did not match. */
const notVerified = [
  is("wrong").extend({ triesLeft: z.int().min(0) }),
  /** After three wrong ones, until a new PIN is set. */
  is("blocked"),
  is("not-set"),
  is("unknown-card"),
  /** The Card is closed, and its PIN is gone. */
  is("card-closed"),
  /** It was encrypted with another key or for another card number. No try is counted. */
  is("unreadable"),
] as const;

export const ProductionCard = VaultCard.extend({
  nameOnCard: z.string(),
  shippingAddress: z.record(z.string(), z.string()),
});

/** So many are drawn and encrypted within the vault's 30 seconds. */
export const maximumBatch = 500;

/** Bytes under a data key of their own, which is stored wrapped: all in base64url. */
export const Envelope = z.object({
  /** The ARN of the KMS key that was used, so that it can be replaced. */
  key: z.string(),
  wrappedKey: z.string(),
  iv: z.string(),
  tag: z.string(),
  sealed: z.string(),
});
export type Envelope = z.output<typeof Envelope>;

const externalAccountId = { externalAccountId: id("externalAccount") };

/** So many bank accounts are opened at once. */
export const maximumOpened = 100;

export const vaultCommands = {
  /** `jwe` has the number, expiry and CVV, for the key alone. Each key is served once, for ever. */
  reveal: {
    input: VaultCard.extend({ publicKey: PublicJwk }),
    output: z.discriminatedUnion("outcome", [
      is("revealed").extend({ jwe: z.string(), expiresAt: z.iso.datetime({ precision: 3 }) }),
      is("key-used"),
      is("key-invalid"),
      /** The Card was revealed ten times within a minute. */
      is("limited"),
    ]),
  },
  /**
   * Which Card has the number. One that was never needed outside has none yet. With an expiry that
   * a plastic with the number has, which one.
   */
  resolve: {
    input: z.object({ cardNumber: CardNumber, ...z.object(expiry).partial().shape }),
    output: z.discriminatedUnion("outcome", [
      is("found").extend({ ...cardId, ...ofNumber, plasticId: plasticId.optional(), ...expiry }),
      is("unknown-card"),
    ]),
  },
  /** Devices encrypt PINs to it. */
  "public-key": { input: z.object({}), output: z.object({ jwk: VaultJwk }) },
  /**
   * Also ends a block. Writes the Card's record `transId`, in the PIN's transaction; a repetition
   * with it answers `set` again.
   */
  "set-pin": {
    input: VaultCard.extend({
      cardholderId: id("cardholder"),
      currency: integerEnum(Currency),
      jwe: compactJwe(),
      transId: id("transaction"),
    }),
    output: z.discriminatedUnion("outcome", [
      is("set"),
      is("nonce-used"),
      is("card-closed"),
      is("unreadable"),
      /** `reason` says what is wrong with the PIN; it never has the PIN in it. */
      is("invalid").extend({ field: z.enum(["pin", "nonce", "cardId"]), reason: z.string() }),
    ]),
  },
  "verify-pin": {
    input: z.object({ attemptId, cardNumber: CardNumber, pinBlock: PinBlock }),
    output: z.discriminatedUnion("outcome", [is("verified"), ...notVerified]),
  },
  /** Which numbers of a Card have a PIN. */
  "pins-set": {
    input: z.object({ ...cardId, numberIds: z.array(plasticId).min(1) }),
    output: z.object({ numberIds: z.array(plasticId) }),
  },
  /**
   * Only a Closed Card forgets its PIN: the verification value is deleted, and it gets no other.
   */
  "forget-pin": {
    input: z.object(cardId),
    output: z.object({ outcome: z.enum(["forgotten", "card-open"]) }),
  },
  /**
   * A code and the expiry that was read with it, or one of both. A track has a service code too.
   * Without an expiry, the code says of which plastic it is.
   */
  "verify-cvv": {
    input: z.object({
      attemptId,
      cardNumber: CardNumber,
      ...z.object(expiry).partial().shape,
      cvv: digits(3).optional(),
      from: CodeSource.default("print"),
      serviceCode: digits(3).optional(),
    }),
    /**
     * `blocked`: five wrong ones from there in 24 hours. `differs` also if the expiry is not the
     * Card's.
     */
    output: z.discriminatedUnion("outcome", [
      is("matches").extend({ plasticId: plasticId.optional() }),
      is("differs"),
      is("blocked"),
      is("unknown-card"),
    ]),
  },
  /** The proof of an authentication, for the merchant's side alone. Stored nowhere. */
  "compute-cavv": {
    input: z.object({ ...cardId, authenticationId: id("authentication") }),
    output: is("computed").extend({ cavv: Cavv }),
  },
  /** Which authentication of the Card a purchase proves. */
  "verify-cavv": {
    input: z.object({ ...cardId, cavv: Cavv }),
    output: z.discriminatedUnion("outcome", [
      is("matches").extend({ authenticationId: id("authentication") }),
      is("differs"),
    ]),
  },
  /** What account updates for merchants say in the place of numbers, in hexadecimal. */
  "hash-numbers": {
    input: z.object({ cards: z.array(VaultCard).min(1).max(2) }),
    output: z.object({ hashes: z.array(z.string().regex(/^[0-9a-f]{64}$/)) }),
  },
  /** `jwe` has `{batchId, cards}` with numbers and all three codes, for the bureau's key alone. */
  "export-production": {
    input: z.object({
      batchId: z.string(),
      publicKey: PublicJwk,
      cards: z.array(ProductionCard).min(1).max(maximumBatch),
    }),
    output: z.discriminatedUnion("outcome", [is("exported").extend({ jwe: z.string() }), is("key-invalid")]),
  },
  /** Keys in hexadecimal, in a JWE for the vault's public key: docs/card-codes.md names them. */
  "import-pin-key": {
    input: z.object({ jwe: compactJwe() }),
    output: z.discriminatedUnion("outcome", [
      is("imported"),
      is("unreadable"),
      /** Another key computes codes under this index. It stays. */
      is("index-in-use"),
    ]),
  },
  /**
   * The number, expiry and name, for the wallet alone. Each payload has a secret that its request
   * for a token proves: good once, for ten minutes. It counts as a reveal.
   */
  provision: {
    input: VaultCard.extend({ nameOnCard: z.string(), request: WalletRequest }),
    output: z.discriminatedUnion("outcome", [
      is("provisioned").extend({ payload: WalletPayload }),
      /** The place in `certificates`, and why the wallet's roots do not vouch for it. */
      is("certificate-invalid").extend({ place: z.int(), reason: z.string() }),
      /** The environment has nothing that this wallet is known by. */
      is("wallet-not-set-up"),
      is("limited"),
    ]),
  },
  /** What the sandbox's wallet gives an app. Its keys are drawn at first. */
  "sandbox-wallet": { input: z.object({}), output: SandboxWallet },
  /** Opens a payload as the sandbox's wallet does, and uses it up. */
  "open-payload": {
    input: z.object({ programId: id("program"), payload: WalletPayload }),
    output: z.discriminatedUnion("outcome", [
      is("opened").extend({ ...cardId, wallet: z.enum(["apple_pay", "google_pay"]) }),
      /** It is not of this wallet or this Program, or was changed. */
      is("unreadable"),
      /** The nonce that was encrypted is not one that the wallet gave. */
      is("nonce-unknown"),
      is("used"),
      is("expired"),
    ]),
  },
  /**
   * Encrypts the details of an external account under its own encryption context. The fingerprint
   * is a keyed hash: the same bank account always has the same one in a Program.
   */
  "seal-account": {
    input: z.object({ programId: id("program"), ...externalAccountId, account: AccountDetails }),
    output: z.object({ sealed: Envelope, fingerprint: z.string() }),
  },
  /** In the order that was asked for: for the bank's files alone. */
  "open-accounts": {
    input: z.object({
      programId: id("program"),
      accounts: z
        .array(z.object({ ...externalAccountId, sealed: Envelope }))
        .min(1)
        .max(maximumOpened),
    }),
    output: z.object({ accounts: z.array(AccountDetails) }),
  },
  /** The PIN zone's keys in hexadecimal, drawn at first. Only in the local environment. */
  "local-pin-key": {
    input: z.object({}),
    /** AES for format 4, and triple DES for format 0. */
    output: z.object({ pinKey: z.string(), tdesPinKey: z.string() }),
  },
} as const;

export type VaultCommand = keyof typeof vaultCommands;

/** Each invokes the vault through an alias of its own, which says what it may do. */
export const vaultCallers = {
  /** Serves Programs' requests. */
  cards: ["reveal", "public-key", "set-pin", "pins-set", "hash-numbers", "provision"],
  deadlines: ["forget-pin", "hash-numbers", "open-accounts"],
  /** Adds external accounts. */
  accounts: ["seal-account"],
  files: ["resolve"],
  listener: ["resolve", "verify-pin", "verify-cvv", "verify-cavv", "local-pin-key"],
  operator: ["export-production", "public-key", "import-pin-key", "open-accounts"],
  /**
   * The simulated wallet, the merchant's side of 3-D Secure, and the bank's files. It gets no card
   * number.
   */
  sandbox: ["sandbox-wallet", "open-payload", "compute-cavv", "open-accounts"],
} as const satisfies Record<string, readonly VaultCommand[]>;
export type VaultCaller = keyof typeof vaultCallers;

export type VaultInput<C extends VaultCommand> = z.input<(typeof vaultCommands)[C]["input"]>;
export type VaultOutput<C extends VaultCommand> = z.output<(typeof vaultCommands)[C]["output"]>;
