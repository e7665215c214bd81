import type { CodeInput } from "./algorithms.ts";

/** Each use has keys of its own, by index: a new index leaves the codes of earlier ones valid. */
export type CodeUse = "card" | "cavv";

type PinAnswer = "right" | "wrong" | "unreadable";

/**
 * Computes codes and PINs' values by the card networks' published algorithms, so that networks and
 * bureaus which have the same keys compute the same.
 */
export interface CardCryptography {
  computeCode(use: CodeUse, index: number, input: CodeInput): Promise<string>;
  /** The verification value (PVV) of a PIN that a device has set. */
  computePinValue(index: number, cardNumber: string, pin: string): Promise<string>;
  /** `block`: of the network, under its zone's key. `unreadable`: of another key or card number. */
  verifyPin(index: number, cardNumber: string, block: Uint8Array, value: string): Promise<PinAnswer>;
}
