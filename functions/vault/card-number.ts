import { firstPlasticId } from "../../shared/cards/card-plastic.ts";
import type { Expiry } from "../../shared/cards/usable.ts";
import { isLuhnValid } from "../../shared/contract/luhn.ts";
import type { VaultCard } from "../../shared/contract/vault.ts";
import { type Plastic, plastics } from "../../shared/plastics/plastic.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { ApiError } from "../../shared/platform/http/api-error.ts";
import { randomInteger } from "../../shared/platform/id.ts";
import { logMeasured, type Measured } from "../../shared/platform/metrics.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import { printedServiceCode } from "./cryptography/algorithms.ts";
import { cardCryptography } from "./cryptography/choose.ts";
import { cardNumbers, numberIndex } from "./items.ts";
import { currentKey, mac, open, seal } from "./keys.ts";

type CardId = Pick<VaultCard, "programId" | "cardId" | "numberId">;

/** Where a tenth of the numbers is left, one Card in twenty finds none. */
const maximumDraws = 30;

/**
 * The Card's number, drawn when it is first needed. Of two that draw at once, both get the number
 * that was stored first.
 * @throws ApiError UNAVAILABLE if hardly a number with its BIN and last four digits is left
 */
export async function requireNumber(card: VaultCard): Promise<CardNumber> {
  const found = await findNumber(card);
  for (let taken = 0; found === undefined && taken < maximumDraws; ) {
    const drawn = await drawNumber(card, taken);
    if (drawn === "taken") taken += 1;
    else {
      const number = drawn ?? (await findNumber(card));
      if (number !== undefined) return number;
    }
  }
  if (found !== undefined) return found;
  measureDraws("No card number was free.", card, { NumbersExhausted: 1, NumberCollisions: maximumDraws });
  throw new ApiError("UNAVAILABLE");
}

function measureDraws(message: string, { programId, cardId }: CardId, measured: Measured): void {
  logMeasured(message, { programId, cardId }, () => measured);
}

interface CardNumber {
  readonly cardNumber: string;
  /** Which keys compute its codes. */
  readonly keyIndex: number;
}

async function findNumber({ programId, cardId, numberId }: CardId): Promise<CardNumber | undefined> {
  const stored = await cardNumbers.at(programId, cardId, numberId).get();
  if (stored === undefined) return undefined;
  const { number, keyIndex } = stored;
  return { cardNumber: (await open(number, { programId, cardId })).toString(), keyIndex };
}

/**
 * `taken`: another Card has this number. Undefined if the Card has one meanwhile.
 * @param collisions so many were taken before
 */
async function drawNumber(card: VaultCard, collisions: number): Promise<CardNumber | "taken" | undefined> {
  const { programId, cardId, plasticId, numberId, bin, lastFour, expiryMonth, expiryYear } = card;
  const number = completeNumber(bin, lastFour);
  const [key, keyIndex] = [currentKey("numberIndex"), environment.cardKeyIndex];
  const counts = { reveals: [], wrongCodes: [], version: 0 };
  const [hash, envelope] = await Promise.all([
    hashNumber(number),
    seal(Buffer.from(number), { programId, cardId }),
  ]);
  const outcome = await transact([
    cardNumbers
      .at(programId, cardId, numberId)
      .create({ number: envelope, keyIndex, createdAt: timestamp(), ...counts }),
    numberIndex.at(hash).create({ programId, cardId, key, numberId, plasticId, expiryMonth, expiryYear }),
  ]);
  if (!outcome.committed) return outcome.failedConditions.has("card number") ? undefined : "taken";
  // How often numbers were taken tells the operator how many of the BIN's are left.
  measureDraws("A card number was drawn.", card, { NumbersDrawn: 1, NumberCollisions: collisions });
  return { cardNumber: number, keyIndex };
}

const length = 16;

/** Each valid number of the BIN with these last four digits is as likely (ISO/IEC 7812-1). */
export function completeNumber(bin: string, lastFour: string): string {
  const free = length - bin.length - lastFour.length - 1;
  const drawn = String(randomInteger(0, 10 ** free)).padStart(free, "0");
  const numbers = Array.from({ length: 10 }, (_, digit) => `${bin}${drawn}${digit}${lastFour}`);
  return numbers.find(isLuhnValid) as string;
}

export async function hashNumber(number: string): Promise<string> {
  return (await mac(currentKey("numberIndex"), number)).toString("base64url");
}

/** Which Card has the number. What is no card number costs no call. */
export async function findCard(number: string) {
  return isLuhnValid(number) ? numberIndex.at(await hashNumber(number)).get() : undefined;
}

export type FoundNumber = NonNullable<Awaited<ReturnType<typeof findCard>>>;

/**
 * Which plastic with the number has the expiry. The index has that for which the number was drawn;
 * what was made with it since expires later, and is in the platform's table.
 */
export async function findPlastic(found: FoundNumber, expiry: Expiry): Promise<string | undefined> {
  const { programId, cardId, plasticId = firstPlasticId(cardId) } = found;
  const months = ({ expiryMonth, expiryYear }: Expiry) => expiryYear * 12 + expiryMonth;
  if (months(expiry) === months(found)) return plasticId;
  if (months(expiry) < months(found)) return undefined;
  const stored = await plastics.list(programId, cardId);
  return stored.find((one) => one.numberId === found.numberId && months(one) === months(expiry))?.plasticId;
}

/** All with the number: the active one first, then the newest. */
export async function listPlastics(found: FoundNumber) {
  const { programId, cardId, plasticId = firstPlasticId(cardId), expiryMonth, expiryYear } = found;
  const stored = (await plastics.list(programId, cardId)).filter((one) => one.numberId === found.numberId);
  if (stored.length === 0) return [{ plasticId, expiryMonth, expiryYear }];
  const rank = ({ state, sequence }: Plastic) => (state === "active" ? Number.POSITIVE_INFINITY : sequence);
  return stored.toSorted((one, other) => rank(other) - rank(one));
}

/** Computed each time, stored nowhere (PCI DSS 3.3.1.2). */
export async function computeCvv(
  { cardNumber, keyIndex }: CardNumber,
  { expiryMonth, expiryYear }: Expiry,
  serviceCode: string = printedServiceCode,
): Promise<string> {
  const date = [expiryYear % 100, expiryMonth].map((part) => String(part).padStart(2, "0")).join("");
  const cryptography = await cardCryptography();
  return cryptography.computeCode("card", keyIndex, { cardNumber, date, serviceCode });
}
