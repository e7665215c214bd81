import { type Cardholder, fullName } from "../cardholders/cardholder.ts";

/** Whether it is the person's name: the same words, in any order and case. */
export function isOwnName(cardholder: Cardholder, name: string): boolean {
  return toWords(fullName(cardholder)) === toWords(name);
}

/** In capitals first: only there are `ß` and `SS` the same, and the Turkish `ı` and `I`. */
function toWords(name: string): string {
  const words = name
    .toUpperCase()
    .toLowerCase()
    .normalize("NFD")
    .replaceAll("i\u0307", "i")
    .split(/[\s,]+/u);
  return words
    .filter((word) => word !== "")
    .toSorted()
    .join(" ");
}
