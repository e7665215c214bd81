import type { Key } from "./keys.ts";

/** Keys of the vault's table. What identifies a number, a key or a nonce is a hash of it. */
export const vaultKey = {
  cardNumber: (programId: string, cardId: string): Key => ({ pk: `${programId}#${cardId}`, sk: "NUMBER" }),
  pin: (programId: string, cardId: string): Key => ({ pk: `${programId}#${cardId}`, sk: "PIN" }),
  numberIndex: (hash: string): Key => ({ pk: `NUMBER#${hash}`, sk: "NUMBER_INDEX" }),
  deviceKey: (thumbprint: string): Key => ({ pk: `DEVICE_KEY#${thumbprint}`, sk: "DEVICE_KEY" }),
  nonce: (hash: string): Key => ({ pk: `NONCE#${hash}`, sk: "NONCE" }),
  /** The key under which the network encrypts PIN blocks. */
  pinZone: { pk: "PIN_ZONE", sk: "PIN_ZONE" },
} as const;
