import { isDeepStrictEqual } from "node:util";
import { applicantFields, cardholders } from "../cardholders/cardholder.ts";
import { type Card, cards } from "../cards/card.ts";
import type { CardholderCreate } from "../contract/cardholders.ts";
import type { CardCreate } from "../contract/cards.ts";
import { CardForm } from "../contract/enums.ts";
import type { Metadata } from "../contract/primitives.ts";
import { hashChoices } from "../issuing/chosen.ts";
import { readMetadata } from "../platform/labels.ts";

export async function isSameCardholder(
  programId: string,
  cardholderId: string,
  body: CardholderCreate,
): Promise<boolean> {
  const found = await cardholders.at(programId, cardholderId).get();
  if (!found) return false;
  const fields = [...applicantFields, "altKycEnabled", "externalId"] as const;
  const isSame = fields.every((field) => isDeepStrictEqual(found[field], body[field]));
  return isSame && hasSameMetadata(programId, { ...found, id: cardholderId }, body.metadata);
}

/** What is not given has its default, which is not compared: it depends on time and settings. */
export async function isSameCard(programId: string, cardId: string, body: CardCreate): Promise<boolean> {
  const found = await cards.at(programId, cardId).get();
  if (!found) return false;
  const { nameOnCard, expiryMonth, expiryYear, bin } = body;
  const given = { nameOnCard, expiryMonth, expiryYear, bin };
  const isSame =
    found.cardholderId === body.cardholderId &&
    found.cardForm === body.cardForm &&
    found.cardType === body.cardType &&
    found.externalId === body.externalId &&
    found.chosenHash === hashChoices(body) &&
    Object.entries(given).every(
      ([field, value]) => value === undefined || found[field as keyof Card] === value,
    ) &&
    hasSameAddress(found, body);
  return isSame && hasSameMetadata(programId, { ...found, id: cardId }, body.metadata);
}

/** A virtual Card has none. The default of the recipient is the Cardholder's name. */
function hasSameAddress({ shippingAddress: stored }: Card, { cardForm, shippingAddress }: CardCreate) {
  if (cardForm === CardForm.virtual) return true;
  return isDeepStrictEqual({ recipient: stored?.recipient, ...shippingAddress }, stored);
}

async function hasSameMetadata(
  programId: string,
  { id, hasMetadata }: { readonly id: string; readonly hasMetadata?: true | undefined },
  given: Metadata = {},
): Promise<boolean> {
  const stored = hasMetadata ? await readMetadata(programId, id) : undefined;
  return isDeepStrictEqual({ ...stored }, { ...given });
}
