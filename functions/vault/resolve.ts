import type { Expiry } from "../../shared/cards/usable.ts";
import type { CodeSource } from "../../shared/contract/vault.ts";
import { dayMs, now, timestamp } from "../../shared/platform/clock.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { computeCvv, type FoundNumber, findCard, findPlastic, listPlastics } from "./card-number.ts";
import type { Command } from "./command.ts";
import { chipServiceCode, printedServiceCode } from "./cryptography/algorithms.ts";
import { cardNumbers } from "./items.ts";
import { currentKey, mac } from "./keys.ts";

export const resolve: Command<"resolve"> = async ({ cardNumber, expiryMonth, expiryYear }) => {
  const card = await findCard(cardNumber);
  if (!card) return { outcome: "unknown-card" };
  const expiry = expiryMonth && expiryYear ? { expiryMonth, expiryYear } : undefined;
  const plasticId = expiry && (await findPlastic(card, expiry));
  return { outcome: "found", ...card, plasticId, ...(plasticId !== undefined && expiry) };
};

const maximumWrong = 5;

/**
 * A right one is answered after a write too: of many at once, five wrong ones at most. Each source
 * counts for itself: who guesses printed codes stops no terminal.
 */
export const verifyCvv: Command<"verify-cvv"> = async ({ attemptId, cardNumber, cvv, from, ...given }) => {
  const { expiryMonth, expiryYear } = given;
  const card = await findCard(cardNumber);
  if (card === undefined) return { outcome: "unknown-card" };
  const expiry = expiryMonth && expiryYear ? { expiryMonth, expiryYear } : undefined;
  const at = cardNumbers.at(card.programId, card.cardId, card.numberId);
  const [known, { keyIndex }] = await Promise.all([findExpiries(card, expiry), at.require()]);
  const serviceCode = toServiceCode(from, given.serviceCode);
  const isCodeWith = async (date: Expiry) =>
    cvv === undefined || (await computeCvv({ cardNumber, keyIndex }, date, serviceCode)) === cvv;
  // A wrong expiry takes as long as a right one.
  const found = known.length > 0 ? await findAsync(known, isCodeWith) : void (await isCodeWith(card));
  const isRight = found !== undefined;
  const tried = [attemptId, cardNumber, cvv ?? "", expiryMonth ?? "", expiryYear ?? "", from];
  const attempt = isRight ? "" : await hashAttempt(...tried);
  return retry(async () => {
    const { version, wrongCodes } = await at.require();
    const since = timestamp(new Date(now().getTime() - dayMs));
    const wrong = wrongCodes.filter((one) => one.at > since);
    if (wrong.some((one) => one.attempt === attempt)) return { outcome: "differs" };
    if (wrong.filter((one) => one.from === from).length >= maximumWrong) return { outcome: "blocked" };
    const counted = isRight ? wrong : [...wrong, { at: timestamp(), attempt, from }];
    const set = { wrongCodes: counted, version: version + 1 };
    if (!(await at.updateNow({ set }, { version })).updated) return new Conflict("card number");
    if (!found) return { outcome: "differs" };
    return { outcome: "matches", ...(!expiry && { plasticId: found.plasticId }) };
  });
};

interface Dated extends Expiry {
  readonly plasticId: string;
}

/**
 * The active one and the one in the mail are always among them. Each more would make a code easier
 * to guess, and who types one has a plastic that was made lately. An expiry names any of them.
 */
const maximumCompared = 4;

/** The plastic with the expiry. Without one, all with the number: its code tells them apart. */
async function findExpiries(number: FoundNumber, expiry: Expiry | undefined): Promise<readonly Dated[]> {
  if (!expiry) return (await listPlastics(number)).slice(0, maximumCompared);
  const plasticId = await findPlastic(number, expiry);
  return plasticId === undefined ? [] : [{ plasticId, ...expiry }];
}

async function findAsync<T>(all: readonly T[], fits: (one: T) => Promise<boolean>): Promise<T | undefined> {
  for (const one of all) if (await fits(one)) return one;
  return undefined;
}

/** The stripe's code is computed with what the stripe says: a changed service code is noticed. */
function toServiceCode(from: CodeSource, read = printedServiceCode): string {
  if (from === "print") return printedServiceCode;
  return from === "chip" ? chipServiceCode : read;
}

async function hashAttempt(...question: readonly (string | number)[]): Promise<string> {
  return (await mac(currentKey("cvv"), "attempt", ...question.map(String))).toString("base64url");
}
