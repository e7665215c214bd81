import { cards } from "../../../shared/cards/card.ts";
import { newId } from "../../../shared/platform/id.ts";
import { revealTo } from "../../harness/given-device.ts";
import { givenNetwork } from "../../harness/given-network.ts";
import type { Cleared } from "../../shared/adapters/clearing-records.ts";

/** A Card with 100.00, and its number. */
export async function givenNumber() {
  const network = await givenNetwork();
  const { programId, cardId } = network;
  const { bin, lastFour, expiryMonth, expiryYear } = await cards.at(programId, cardId).require();
  const { cardNumber } = await revealTo({ programId, cardId, bin, lastFour, expiryMonth, expiryYear });
  const reference = newId("event").slice(-20);
  const recordOf = (number: number, more: Partial<Cleared> = {}): Cleared => ({
    referenceCode: `${reference}${number}`,
    cardNumber,
    ...more,
  });
  return { ...network, cardNumber, recordOf };
}
