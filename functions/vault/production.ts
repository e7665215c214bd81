import type { ProductionCard } from "../../shared/contract/vault.ts";
import { computeCvv, requireNumber } from "./card-number.ts";
import type { Command } from "./commands.ts";
import { encryptFor, toSpki } from "./jwe.ts";

/** So many cards are read at a time: KMS limits how often it is called. */
const atOnce = 20;

export const exportProduction: Command<"export-production"> = async ({ batchId, publicKey, cards }) => {
  if (toSpki(publicKey) === undefined) return { outcome: "key-invalid" };
  const embossed = [];
  for (let index = 0; index < cards.length; index += atOnce)
    embossed.push(...(await Promise.all(cards.slice(index, index + atOnce).map(emboss))));
  return { outcome: "exported", jwe: encryptFor(publicKey, { batchId, cards: embossed }) };
};

async function emboss({ nameOnCard, shippingAddress, ...card }: ReturnType<typeof ProductionCard.parse>) {
  const { cardId, expiryMonth, expiryYear } = card;
  const number = await requireNumber(card);
  const { cardNumber } = number;
  const cvv = await computeCvv(number, card);
  return { cardId, cardNumber, expiryMonth, expiryYear, cvv, nameOnCard, shippingAddress };
}
