import { now, timestamp } from "../../shared/platform/clock.ts";
import { Conflict, retry } from "../../shared/platform/table/retry.ts";
import { computeCvv, findCard } from "./card-number.ts";
import type { Command } from "./commands.ts";
import { cardNumbers } from "./items.ts";
import { currentKey, mac } from "./keys.ts";

export const resolve: Command<"resolve"> = async ({ cardNumber }) => {
  const card = await findCard(cardNumber);
  return card ? { outcome: "found", ...card } : { outcome: "unknown-card" };
};

const dayMs = 86_400_000;
const maximumWrong = 5;

/** A right one is answered after a write too: of many at once, five wrong ones at most. */
export const verifyCvv: Command<"verify-cvv"> = async ({ attemptId, cardNumber, cvv, ...given }) => {
  const { expiryMonth, expiryYear } = given;
  const card = await findCard(cardNumber);
  if (card === undefined) return { outcome: "unknown-card" };
  const isCardExpiry = card.expiryMonth === expiryMonth && card.expiryYear === expiryYear;
  const at = cardNumbers.at(card.programId, card.cardId);
  const { cvvKey } = await at.require();
  const isCode = cvv === undefined || (await computeCvv({ cardNumber, cvvKey }, card)) === cvv;
  const isRight = isCardExpiry && isCode;
  const tried = [attemptId, cardNumber, cvv ?? "", expiryMonth, expiryYear];
  const attempt = isRight ? "" : await hashAttempt(...tried);
  return retry(async () => {
    const { version, wrongCodes } = await at.require();
    const since = timestamp(new Date(now().getTime() - dayMs));
    const wrong = wrongCodes.filter((one) => one.at > since);
    if (wrong.some((one) => one.attempt === attempt)) return { outcome: "differs" };
    if (wrong.length >= maximumWrong) return { outcome: "blocked" };
    const counted = isRight ? wrong : [...wrong, { at: timestamp(), attempt }];
    const set = { wrongCodes: counted, version: version + 1 };
    if (!(await at.updateNow({ set }, { version })).updated) return new Conflict("card number");
    return { outcome: isRight ? "matches" : "differs" };
  });
};

async function hashAttempt(...question: readonly (string | number)[]): Promise<string> {
  return (await mac(currentKey("cvv"), "attempt", ...question.map(String))).toString("base64url");
}
