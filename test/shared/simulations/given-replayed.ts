import { vi } from "vitest";
import { handler as processor } from "../../../functions/processor-events/handler.ts";
import { type Card, cards, getCard } from "../../../shared/cards/card.ts";
import { cardList } from "../../../shared/cards/card-view.ts";
import { cardOfPut } from "../../../shared/cards/cards-of-cardholder.ts";
import { limitFields, newLimit } from "../../../shared/cards/limit.ts";
import type { ControlRules } from "../../../shared/contract/controls.ts";
import type { ProcessorEvent } from "../../../shared/contract/processor.ts";
import { type Control, controlCreate, toActiveControl } from "../../../shared/controls/control.ts";
import {
  cardholderRulebooks,
  cardRulebooks,
  noCardControls,
  noCardholderControls,
  noProgramControls,
  programRulebooks,
} from "../../../shared/controls/rulebooks.ts";
import type { ControlOwner } from "../../../shared/controls/usage-name.ts";
import { listInsert } from "../../../shared/lists/entry.ts";
import { findFacts } from "../../../shared/network-events/card-event.ts";
import { timestamp } from "../../../shared/platform/clock.ts";
import { newId } from "../../../shared/platform/id.ts";
import { transact } from "../../../shared/platform/table/transact.ts";
import type { Command } from "../../harness/card-model/commands.ts";
import { type EventCommand, toEvent } from "../../harness/card-model/to-event.ts";
import { setProgramSettings } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";

export interface GivenControl {
  readonly owner: ControlOwner;
  readonly rules: ControlRules;
}

export interface TimedEvent {
  readonly id: string;
  readonly card: number;
  readonly atMs: number;
  readonly command: Command;
  readonly target?: string | undefined;
  /** What authorizations and withdrawals say of the merchant. */
  readonly details: object;
  /** What events of an authorization say of themselves. */
  readonly late: {
    readonly byMs: number;
    readonly standIn: boolean;
    readonly mayBeDone: boolean;
    readonly withFee: boolean;
  };
}

/** Their totals count in the order in which they occurred. */
const timed = ["advice", "increment", "reversal", "cashReversal", "atm"];

/** The Wallet that some Cards spend from, up to their limits. */
export interface GivenFunding {
  readonly walletMinor: number;
  /** Of each Card. Undefined: it has money of its own; null: it has no limit. */
  readonly limits: readonly ({ readonly amount: number; readonly window: string } | null | undefined)[];
}

/** Two Cards of one Cardholder, and one of another. Each event happens at its time. */
export async function givenReplayed(
  settings: { readonly timeZone: string },
  openingMinor: number,
  { walletMinor, limits }: GivenFunding,
) {
  const programId = await givenStoredProgram();
  const fundingWalletId = await givenStoredWallet(programId, walletMinor);
  await setProgramSettings(programId, settings);
  const cardIds = [0, 1, 2].map(() => newId("card"));
  let first: Card | undefined;
  for (const [index, cardId] of cardIds.entries()) {
    const limit = limits[index];
    await givenStoredCard(programId, 1, limit === undefined ? openingMinor : 0, cardId);
    const stored = {
      ...(await getCard(programId, cardId)),
      ...(limit !== undefined && { fundingWalletId }),
      ...(limit && limitFields(newLimit(limit, timestamp(), settings))),
    };
    first ??= stored;
    const card = index === 1 ? { ...stored, cardholderId: first.cardholderId } : stored;
    await transact([
      {
        ...cards.at(programId, cardId).put(card),
        alongside: [listInsert(cardList, programId, cardId, card)],
      },
      cardOfPut(programId, card.cardholderId, cardId),
    ]);
  }
  const [cardId = ""] = cardIds;
  const { cardholderId } = await getCard(programId, cardId);
  const answers = new Map<string, Record<string, unknown>>();
  return {
    programId,
    walletId: fundingWalletId,
    cardIds,
    answers,
    send: async ({ id, card, atMs, command, target, details, late }: TimedEvent) => {
      vi.setSystemTime(atMs);
      const ofCard = cardIds[card] ?? cardId;
      const { authorizationId, ...sent } = toEvent(
        { ...command, ...(target !== undefined && { target }) } as EventCommand,
        ofCard,
        answers,
      ) as { authorizationId?: string };
      const event = {
        ...sent,
        ...(authorizationId !== undefined && { authorizationId: `${card}-${authorizationId}` }),
        ...(findFacts(sent as { kind: string }).isControlled && details),
        ...(late.byMs > 0 &&
          timed.includes(command.do) && { occurredAt: new Date(atMs - late.byMs).toISOString() }),
        ...(command.do === "advice" && { standIn: late.standIn }),
        ...(command.do === "cashReversal" && { mayBeDone: late.mayBeDone, withFee: late.withFee }),
        ...{ programId, cardId: ofCard, eventId: id },
      };
      answers.set(id, (await processor(JSON.parse(JSON.stringify(event)) as ProcessorEvent)) as never);
    },
    /** For the first Card, its Cardholder, or the Program. Counts from now. */
    putControl: async ({ owner, rules }: GivenControl, state: "active" | "draft" = "active") => {
      const at = timestamp();
      const owners = { card: { cardId, cardholderId }, cardholder: { cardholderId }, program: {} };
      const control: Control = {
        ...{ entityId: newId("control"), name: "Control", ...owners[owner], state, rules, version: 1 },
        createdAt: at,
        ...(state === "active" && { activatedAt: at }),
      };
      await transact([controlCreate(programId, control)]);
      if (state === "active") await putIntoForce(programId, owner, cardId, cardholderId, control);
      return control;
    },
  };
}

async function putIntoForce(
  programId: string,
  owner: ControlOwner,
  cardId: string,
  cardholderId: string,
  control: Control,
) {
  const added = [toActiveControl(control)].flatMap((one) => one ?? []);
  const program = (await programRulebooks.at(programId).get()) ?? noProgramControls;
  const cardholder = (await cardholderRulebooks.at(programId, cardholderId).get()) ?? noCardholderControls;
  const card = (await cardRulebooks.at(programId, cardId).get()) ?? noCardControls;
  const of = (wanted: ControlOwner) => (owner === wanted ? added : []);
  await transact([
    programRulebooks.at(programId).put({
      ...program,
      controls: [...program.controls, ...of("program")],
      hasNarrower: program.hasNarrower || owner !== "program",
    }),
    cardholderRulebooks
      .at(programId, cardholderId)
      .put({ ...cardholder, controls: [...cardholder.controls, ...of("cardholder")] }),
    cardRulebooks.at(programId, cardId).put({ ...card, controls: [...card.controls, ...of("card")] }),
  ]);
}
