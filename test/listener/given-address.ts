import { cardholders } from "../../shared/cardholders/cardholder.ts";
import { cards } from "../../shared/cards/card.ts";
import { timestamp } from "../../shared/platform/clock.ts";

const address = { line1: "12 Main Street", city: "Springfield", postalCode: "94107", country: "US" };

/** The Card's Cardholder lives at 12 Main Street, 94107. */
export async function givenAddress({ programId, cardId }: { programId: string; cardId: string }) {
  const card = await cards.at(programId, cardId).require();
  const person = { dateOfBirth: "1990-01-01", gender: 0, email: "a@example.com", phone: "+4420" };
  const item = {
    entityId: card.cardholderId,
    status: 1,
    openCards: 1,
    createdAt: timestamp(),
    altKycEnabled: 0,
  };
  await cardholders.at(programId, card.cardholderId).createNow({ ...item, ...person, address } as never);
}
