import { cards } from "../../shared/cards/card.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { timestamp } from "../../shared/platform/clock.ts";
import { transact } from "../../shared/platform/table/transact.ts";
import type { Command } from "./command.ts";
import { pins } from "./items.ts";

/**
 * The platform's table says that the Card is closed, not the caller. What stays makes sure that a
 * PIN which is being set meanwhile does not come after it.
 */
export const forgetPin: Command<"forget-pin"> = async ({ programId, cardId }) => {
  const { committed } = await transact([
    cards.at(programId, cardId).check({ issuerCardStatus: CardStatus.closed }),
    pins.at(programId, cardId).put({ attempts: [], setAt: timestamp() }),
  ]);
  return { outcome: committed ? "forgotten" : "card-open" };
};
