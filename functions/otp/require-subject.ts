import { getCardholder } from "../../shared/domain/cardholders/cardholder.ts";
import { getCard } from "../../shared/domain/cards/card.ts";

/** Whose passcodes a request is about. The contract lets through one of the two. */
interface Subject {
  readonly cardId?: string | undefined;
  readonly cardholderId?: string | undefined;
}

/** @throws ApiError NOT_FOUND for a Card or Cardholder that does not exist in this Program */
export async function requireSubject(programId: string, { cardId, cardholderId }: Subject): Promise<void> {
  if (cardId !== undefined) await getCard(programId, cardId);
  if (cardholderId !== undefined) await getCardholder(programId, cardholderId);
}
