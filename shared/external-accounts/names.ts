import { type Cardholder, fullName } from "../cardholders/cardholder.ts";

/** Whether it is the person's name: the same words, in any order and case. */
export function isOwnName(cardholder: Cardholder, name: string): boolean {
  return toWords(fullName(cardholder)) === toWords(name);
}

function toWords(name: string): string {
  const words = name
    .normalize("NFC")
    .toLowerCase()
    .split(/[\s,]+/u);
  return words
    .filter((word) => word !== "")
    .toSorted()
    .join(" ");
}
