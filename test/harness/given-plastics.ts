import { cards } from "../../shared/cards/card.ts";
import { answerRequest } from "../../shared/changes/execute.ts";
import { activatePlastic } from "../../shared/plastics/activate.ts";
import { endReplaced } from "../../shared/plastics/end-plastic.ts";
import { plastics, toFirstPlastic, toVaultCard } from "../../shared/plastics/plastic.ts";
import { type ReplacementRequest, replacement } from "../../shared/plastics/replace.ts";
import { deadlines } from "../../shared/platform/deadlines.ts";
import { newId } from "../../shared/platform/id.ts";
import { revealTo } from "./given-device.ts";

interface OfCard {
  readonly programId: string;
  readonly cardId: string;
}

const tenantId = "tnt_1";
const toActor = (requestId: string) => ({ at: new Date().toISOString(), by: "usr_1", requestId });

type Asked = Pick<ReplacementRequest, "reason" | "plasticId">;

/** Replaces a plastic, as a request with this key would. */
export async function replacePlastic(
  { programId, cardId }: OfCard,
  asked: Asked,
  id = newId("event"),
): Promise<{ readonly plasticId: string; readonly state: string; readonly sequence: number }> {
  const request = { tenantId, programId, cardId, ...asked, actor: toActor(id) };
  const key = { endpoint: "POST /cards/{cardId}/replace", key: id, requestHash: id };
  return (await answerRequest(replacement, request, key)).made;
}

/** Activates the replacement that the Card awaits. */
export async function activatePending({ programId, cardId }: OfCard, id = newId("event")): Promise<void> {
  const activation = { tenantId, programId, actor: toActor(id), requireMatch: () => {} };
  await activatePlastic(await cards.at(programId, cardId).require(), activation);
}

/** Its replacement was not activated in sixty days. As often as a sweep would, it is tried. */
export async function endOldPlastic({ programId, cardId }: OfCard, attempts = 5): Promise<void> {
  const stored = await deadlines.at(programId, `plastic:${cardId}`).get();
  if (!stored) return;
  const dueAt = new Date(String(stored.dueAt.split("#")[0]));
  try {
    await endReplaced({ ...stored, dueAt } as Parameters<typeof endReplaced>[0]);
  } catch (error) {
    if (attempts === 1) throw error;
    await endOldPlastic({ programId, cardId }, attempts - 1);
  }
}

/** What is printed on a plastic. */
export async function printedOn({ programId, cardId }: OfCard, plasticId: string) {
  const plastic =
    (await plastics.at(programId, cardId, plasticId).get()) ??
    toFirstPlastic(await cards.at(programId, cardId).require());
  const { cardNumber, cvv } = await revealTo(toVaultCard(programId, plastic));
  const { expiryMonth, expiryYear } = plastic;
  return { cardNumber, cvv, expiry: `${String(expiryYear).slice(2)}${String(expiryMonth).padStart(2, "0")}` };
}
