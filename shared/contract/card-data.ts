import * as z from "zod";
import { id, timestamp } from "./primitives.ts";
import { routesWith } from "./route.ts";
import { compactJwe, PublicJwk, VaultJwk } from "./vault.ts";

/** The Cardholder's device encrypts and decrypts: a Program only passes on what it cannot read. */

const jwk = PublicJwk.shape;
/** A browser exports a key with further members. */
export const DeviceKey = z
  .looseObject({
    /** An elliptic curve. */
    kty: jwk.kty,
    /** NIST's curve. */
    crv: jwk.crv,
    /** 32 bytes in base64url, without padding. */
    x: jwk.x,
    /** Written as `x`: together they are a point of the curve. */
    y: jwk.y,
  })
  .refine((key) => !("d" in key), {
    path: ["d"],
    message: "is the private key, which must stay on the device: make a new one",
  });

export const CardReveal = z.object({
  /** Made by the device for this one reveal. */
  publicKey: DeviceKey,
  /** Default: the active plastic, or else the one that is not activated yet. */
  plasticId: id("plastic").optional(),
});

export const RevealedCard = z.object({
  /**
   * A compact JWE (ECDH-ES, A256GCM) for the device's key. Its content is JSON: `cardNumber`,
   * `expiryMonth`, `expiryYear` and `cvv`. The device must not open it after `exp` of its header.
   */
  jwe: z.string(),
  /** A minute later at most. */
  expiresAt: timestamp,
});

export const CardPin = z.object({
  /**
   * A compact JWE for the key of `GET /vault/key`, with `alg` ECDH-ES and `enc` A256GCM, else 422.
   * Its content is JSON: `pin`, 4 digits, neither one digit repeated nor digits in sequence,
   * `nonce`, 1 to 255 characters that were never sent before, and `cardId`, without which it can
   * set the PIN of any Card.
   */
  jwe: compactJwe(),
  /** Whose number gets it. Default: the one that is not activated yet, or the active one. */
  plasticId: id("plastic").optional(),
});

export const CardPinSet = z.object({
  /** The record in the Card's transactions: type 74. */
  transId: id("transaction"),
});

export const VaultKey = z.object({
  /** P-256. It changes rarely: read it for each PIN. */
  jwk: VaultJwk,
});

const route = routesWith({ api: "platform", function: "cards" });

export const cardDataRoutes = [
  route(
    "POST /cards/{cardId}/reveal",
    "reveal revealCard",
    "Reveal a Card's number and code to the Cardholder's device",
    {
      body: CardReveal,
      data: RevealedCard,
      errors: ["KEY_USED", "ILLEGAL_TRANSITION", "CARD_BLOCKED", "RATE_LIMITED"],
    },
  ),
  route(
    "PUT /cards/{cardId}/pin",
    "reveal setPin",
    "Set a Card's PIN, encrypted by the Cardholder's device",
    { body: CardPin, data: CardPinSet, errors: ["NONCE_USED", "ILLEGAL_TRANSITION", "CARD_BLOCKED"] },
  ),
  route("GET /vault/key", "read viewVaultKey", "View the key for which a device encrypts a PIN", {
    data: VaultKey,
  }),
] as const;
