import { handler as cards } from "../../../functions/cards/handler.ts";
import { handler } from "../../../functions/processor-events/handler.ts";
import { cards as storedCards } from "../../../shared/cards/card.ts";
import type { ProcessorEvent, ProcessorResult } from "../../../shared/contract/processor.ts";
import type { AppliedResult } from "../../../shared/network-events/plan.ts";
import { newId } from "../../../shared/platform/id.ts";
import { apiEvent, type EventOptions } from "../../harness/api-event.ts";
import { balancesIn, expectBooksInOrder } from "../../harness/books.ts";
import { setAttributes, setProgramSettings, type Told } from "../../harness/given-network.ts";
import { givenStoredCard, givenStoredProgram, givenStoredWallet } from "../../harness/given-stored.ts";
import { replay } from "../../harness/replay.ts";
import { storedItems } from "../../harness/stored.ts";

/** Cards that spend from one Wallet, and their network by direct invocation. */
export async function givenFundedCards(walletMinor = 10_000, count = 1) {
  const programId = await givenStoredProgram();
  const walletId = await givenStoredWallet(programId, walletMinor);
  const addCard = async (fundingWalletId = walletId) => {
    const id = await givenStoredCard(programId, 1, 0);
    await setAttributes(programId, id, { fundingWalletId });
    return id;
  };
  const cardIds = await Promise.all(Array.from({ length: count }, () => addCard()));
  const [cardId = ""] = cardIds;
  const send = (event: Told): Promise<ProcessorResult> =>
    handler({ eventId: newId("event"), programId, cardId, ...event } as unknown as ProcessorEvent) as never;
  return {
    programId,
    walletId,
    cardId,
    cardIds,
    addCard,
    send,
    apply: async (event: Told): Promise<AppliedResult> => {
      const result = await send(event);
      if (result.outcome !== "applied") throw new Error(`${event.kind} was refused: ${result.code}`);
      return result;
    },
    /** Available, held and ledger balance, once the whole of the books has been checked. */
    balances: async (id = walletId) => {
      const { availableMinor, heldMinor, ledgerMinor } = balancesIn(await expectBooksInOrder(programId), id);
      return [availableMinor, heldMinor, ledgerMinor];
    },
    everything: () => storedItems(programId),
    /** Undefined: its own account. */
    setFunding: async (fundingWalletId: string | undefined, id = cardId) => {
      if (fundingWalletId !== undefined) return setAttributes(programId, id, { fundingWalletId });
      await storedCards.at(programId, id).updateNow({ remove: ["fundingWalletId"] });
    },
    setProgram: (settings: object) => setProgramSettings(programId, settings),
    setCard: (attributes: Parameters<typeof setAttributes>[2], id = cardId) =>
      setAttributes(programId, id, attributes),
    call: (route: EventOptions["route"], options: Partial<EventOptions> = {}) => {
      const path = { cardId, ...options.path };
      return replay(cards, apiEvent({ ...options, route, path, caller: { programId } }));
    },
  };
}
