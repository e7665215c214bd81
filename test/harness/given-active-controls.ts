import { getCard } from "../../shared/cards/card.ts";
import type { ControlRules } from "../../shared/contract/controls.ts";
import { type Control, controlCreate, toActiveControl } from "../../shared/controls/control.ts";
import {
  cardholderRulebooks,
  cardRulebooks,
  noCardholderControls,
  noProgramControls,
  programRulebooks,
} from "../../shared/controls/rulebooks.ts";
import type { ControlOwner } from "../../shared/controls/usage-name.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { newId } from "../../shared/platform/id.ts";
import { transact } from "../../shared/platform/table/transact.ts";

interface GivenControl {
  readonly owner: ControlOwner;
  readonly rules: ControlRules;
}

/**
 * Puts active controls into force before the card's first event, without the wait of the API.
 * Returns their ids.
 */
export async function givenActiveControls(
  { programId, cardId }: { readonly programId: string; readonly cardId: string },
  given: readonly GivenControl[],
): Promise<string[]> {
  const { cardholderId } = await getCard(programId, cardId);
  const owners = { card: { cardId, cardholderId }, cardholder: { cardholderId }, program: {} };
  const made = given.map(({ owner, rules }): { owner: ControlOwner; control: Control } => {
    const at = timestamp();
    const [entityId, name] = [newId("control"), "Control"];
    const control = { entityId, name, ...owners[owner], state: "active" as const, rules, version: 1 };
    return { owner, control: { ...control, createdAt: at, activatedAt: at } };
  });
  const active = (wanted: ControlOwner) =>
    made.flatMap(({ owner, control }) => (owner === wanted ? (toActiveControl(control) ?? []) : []));
  const hasNarrower = made.some(({ owner }) => owner !== "program");
  await transact([
    programRulebooks.at(programId).put({ ...noProgramControls, controls: active("program"), hasNarrower }),
    cardholderRulebooks
      .at(programId, cardholderId)
      .put({ ...noCardholderControls, controls: active("cardholder") }),
    cardRulebooks.at(programId, cardId).put({ version: 1, controls: active("card") }),
    ...made.map(({ control }) => controlCreate(programId, control)),
  ]);
  return made.map(({ control }) => control.entityId);
}
