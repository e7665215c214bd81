import type { CodeSource } from "../../shared/contract/vault.ts";
import { now, timestamp } from "../../shared/platform/clock.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { computeCvv, findCard, findPlastic } from "./card-number.ts";
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

const dayMs = 86_400_000;
const maximumWrong = 5;

/**
 * A right one is answered after a write too: of many at once, five wrong ones at most. Each source
 * counts for itself: who guesses printed codes stops no terminal.
 */
export const verifyCvv: Command<"verify-cvv"> = async ({ attemptId, cardNumber, cvv, from, ...given }) => {
  const { expiryMonth, expiryYear } = given;
  const card = await findCard(cardNumber);
  if (card === undefined) return { outcome: "unknown-card" };
  const isCardExpiry = (await findPlastic(card, { expiryMonth, expiryYear })) !== undefined;
  const at = cardNumbers.at(card.programId, card.cardId, card.numberId);
  const { keyIndex } = await at.require();
  const serviceCode = toServiceCode(from, given.serviceCode);
  const expiry = isCardExpiry ? { expiryMonth, expiryYear } : card;
  const isCode =
    cvv === undefined || (await computeCvv({ cardNumber, keyIndex }, expiry, serviceCode)) === cvv;
  const isRight = isCardExpiry && isCode;
  const tried = [attemptId, cardNumber, cvv ?? "", expiryMonth, expiryYear, from];
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
    return { outcome: isRight ? "matches" : "differs" };
  });
};

/** The stripe's code is computed with what the stripe says: a changed service code is noticed. */
function toServiceCode(from: CodeSource, read = printedServiceCode): string {
  if (from === "print") return printedServiceCode;
  return from === "chip" ? chipServiceCode : read;
}

async function hashAttempt(...question: readonly (string | number)[]): Promise<string> {
  return (await mac(currentKey("cvv"), "attempt", ...question.map(String))).toString("base64url");
}
