import { isLuhnValid } from "../../shared/contract/luhn.ts";
import type { VaultCard } from "../../shared/contract/vault.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { cardNumbers, numberIndex } from "./items.ts";
import { currentKey, mac, open, seal } from "./keys.ts";

type CardId = Pick<VaultCard, "programId" | "cardId">;

/**
 * The Card's number, drawn when it is first needed. Of two that draw at once, both get the number
 * that was stored first.
 */
export async function requireNumber(card: VaultCard): Promise<CardNumber> {
  for (;;) {
    const number = (await findNumber(card)) ?? (await drawNumber(card));
    if (number !== undefined) return number;
  }
}

interface CardNumber {
  readonly cardNumber: string;
  readonly cvvKey: string | undefined;
}

async function findNumber({ programId, cardId }: CardId): Promise<CardNumber | undefined> {
  const stored = await cardNumbers.at(programId, cardId).get();
  if (stored === undefined) return undefined;
  const { number, cvvKey } = stored;
  return { cardNumber: (await open(number, { programId, cardId })).toString(), cvvKey };
}

/** Undefined if the Card has a number meanwhile, or if another Card has this one. */
async function drawNumber({ bin, lastFour, ...card }: VaultCard): Promise<CardNumber | undefined> {
  const { programId, cardId, expiryMonth, expiryYear } = card;
  const number = completeNumber(bin, lastFour);
  const [key, cvvKey] = [currentKey("numberIndex"), currentKey("cvv")];
  const counts = { reveals: [], wrongCodes: [], version: 0 };
  const [hash, envelope] = await Promise.all([
    hashNumber(number),
    seal(Buffer.from(number), { programId, cardId }),
  ]);
  const { committed } = await transact([
    cardNumbers.at(programId, cardId).create({ number: envelope, cvvKey, createdAt: timestamp(), ...counts }),
    numberIndex.at(hash).create({ programId, cardId, key, expiryMonth, expiryYear }),
  ]);
  return committed ? { cardNumber: number, cvvKey } : undefined;
}

/** Draws five of the six digits between; the sixth makes the number valid (ISO/IEC 7812-1). */
export function completeNumber(bin: string, lastFour: string): string {
  const five = String(randomInteger(0, 100_000)).padStart(5, "0");
  const numbers = Array.from({ length: 10 }, (_, sixth) => `${bin}${five}${sixth}${lastFour}`);
  return numbers.find(isLuhnValid) as string;
}

export async function hashNumber(number: string): Promise<string> {
  return (await mac(currentKey("numberIndex"), number)).toString("base64url");
}

/** Which Card has the number. What is no card number costs no call. */
export async function findCard(number: string) {
  return isLuhnValid(number) ? numberIndex.at(await hashNumber(number)).get() : undefined;
}

/** The code printed on the card: computed each time, stored nowhere (PCI DSS 3.3.1.2). */
export async function computeCvv(
  { cardNumber, cvvKey = currentKey("cvv") }: CardNumber,
  { expiryMonth, expiryYear }: Pick<VaultCard, "expiryMonth" | "expiryYear">,
): Promise<string> {
  const code =
    (await mac(cvvKey, cardNumber, String(expiryMonth), String(expiryYear))).readUIntBE(0, 6) % 1000;
  return String(code).padStart(3, "0");
}
