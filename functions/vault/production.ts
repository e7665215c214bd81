import type { ProductionCard } from "../../shared/contract/vault.ts";
import { computeCvv, requireNumber } from "./card-number.ts";
import type { Command } from "./command.ts";
import { chipServiceCode, printedServiceCode } from "./cryptography/algorithms.ts";
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

/** International, with a chip; authorized as usual; no restrictions (ISO/IEC 7813). */
const serviceCode = "201";

async function emboss({ nameOnCard, shippingAddress, ...card }: ReturnType<typeof ProductionCard.parse>) {
  const { cardId, plasticId, expiryMonth, expiryYear } = card;
  const number = await requireNumber(card);
  const { cardNumber } = number;
  const [cvv, stripeCvv, chipCvv] = await Promise.all(
    [printedServiceCode, serviceCode, chipServiceCode].map((one) => computeCvv(number, card, one)),
  );
  const codes = { cvv, serviceCode, stripeCvv, chipCvv };
  return { cardId, plasticId, cardNumber, expiryMonth, expiryYear, ...codes, nameOnCard, shippingAddress };
}
