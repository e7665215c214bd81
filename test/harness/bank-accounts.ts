import { randomInteger } from "../../shared/platform/id.ts";

const digits = (length: number) => Array.from({ length }, () => randomInteger(0, 10)).join("");

/** A German IBAN that no other call gets. */
export function newIban(): string {
  const bban = `37040044${digits(10)}`;
  const remainder = BigInt(`${bban}131400`) % 97n;
  return `DE${String(98n - remainder).padStart(2, "0")}${bban}`;
}

export const newAccountNumber = () => `9${digits(11)}`;

/** A bank's in the United States. */
export const routingNumber = "021000021";
