import type { Key } from "./keys.ts";

/** Keys of the vault's table. What identifies a number, a key or a nonce is a hash of it. */
export const vaultKey = {
  cardNumber: (programId: string, cardId: string): Key => ({ pk: `${programId}#${cardId}`, sk: "NUMBER" }),
  pin: (programId: string, cardId: string): Key => ({ pk: `${programId}#${cardId}`, sk: "PIN" }),
  numberIndex: (hash: string): Key => ({ pk: `NUMBER#${hash}`, sk: "NUMBER_INDEX" }),
  deviceKey: (thumbprint: string): Key => ({ pk: `DEVICE_KEY#${thumbprint}`, sk: "DEVICE_KEY" }),
  nonce: (hash: string): Key => ({ pk: `NONCE#${hash}`, sk: "NONCE" }),
  /** The key under which a zone's PIN blocks are encrypted. */
  pinZone: (zone: string): Key => ({ pk: `PIN_ZONE#${zone}`, sk: "PIN_ZONE" }),
  codeKey: (use: string, index: number): Key => ({ pk: `CODE_KEY#${use}#${index}`, sk: "CODE_KEY" }),
} as const;
