import * as z from "zod";

/**
 * What an app hands to a phone's wallet so that it gets a Card without its number being typed: the
 * shapes that Apple and Visa publish. Only the wallet opens it.
 */

const base64 = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/, "must be base64");

const hexadecimal = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^(?:[0-9A-Fa-f]{2})+$/, "must be bytes in hexadecimal");

/** Visa's limit of both ids. */
const googleId = z.string().regex(/^[\x21-\x7e]{1,64}$/, "must be 1 to 64 printable characters");

const appleFields = {
  /** X.509 in DER, in base64: the leaf, then its issuer, as Apple's wallet gives them. */
  certificates: z.array(base64(8_192)).length(2),
  /** Apple's, in hexadecimal. It is encrypted with the Card. */
  nonce: hexadecimal(128),
  /** Apple's, in hexadecimal. It is encrypted with the Card. */
  nonceSignature: hexadecimal(1_024),
};

const googleFields = {
  /** The device, as Google's wallet names it: its stable hardware id. */
  clientDeviceId: googleId,
  /** The account of the wallet, as Google names it: its active wallet id. */
  clientWalletAccountId: googleId,
};

/** Which wallet, and what it gave the app. */
export const WalletRequest = z.discriminatedUnion("wallet", [
  z.object({ wallet: z.literal("apple_pay"), ...appleFields }),
  z.object({ wallet: z.literal("google_pay"), ...googleFields }),
]);
export type WalletRequest = z.output<typeof WalletRequest>;

const neededFields = { apple_pay: Object.keys(appleFields), google_pay: Object.keys(googleFields) };

export const PushProvisioning = z
  .object({
    /** apple_pay needs `certificates`, `nonce` and `nonceSignature`; google_pay the other two. */
    wallet: z.enum(["apple_pay", "google_pay"]),
    ...z.object(appleFields).partial().shape,
    ...z.object(googleFields).partial().shape,
  })
  .check(({ value, issues }) => {
    for (const field of neededFields[value.wallet] as readonly (keyof typeof value)[])
      if (value[field] === undefined)
        issues.push({
          code: "invalid_type",
          expected: "string",
          input: undefined,
          path: [field],
          message: `is required for ${value.wallet}`,
        });
  });

export const ApplePayload = z.object({
  /** The encrypted Card, in base64: of `PKAddPaymentPassRequest` the data of this name. */
  encryptedPassData: base64(8_192),
  /** In base64. The wallet passes it on with its request for a token, which it proves. */
  activationData: base64(512),
  /** The key made for this one payload: a point of P-256, not compressed, in base64. */
  ephemeralPublicKey: base64(256),
});

export const GooglePayload = z.object({
  /** A compact JWE (RSA-OAEP-256, A256GCM): what Google's `PushTokenizeRequest` names so. */
  opaquePaymentCard: z
    .string()
    .max(8_192)
    .regex(/^[\w-]+\.[\w-]+\.[\w-]+\.[\w-]+\.[\w-]+$/, "must be a compact JWE"),
});

/** What only the wallet opens: good once, for ten minutes. */
export const WalletPayload = z.union([ApplePayload, GooglePayload]);
export type WalletPayload = z.output<typeof WalletPayload>;

/** In place of Apple's: what the sandbox's wallet gives an app. */
export const SandboxWallet = z.object({
  /** The leaf and its issuer, in base64: `certificates` of a push provisioning. */
  certificates: z.array(z.string()).length(2),
  /** A new one each time, in hexadecimal. */
  nonce: z.string(),
  /** Its signature by the wallet, in hexadecimal. */
  nonceSignature: z.string(),
});
