import { marqeta } from "../../shared/adapters/marqeta/marqeta.ts";
import type { KnownCard, ProcessorAdapter } from "../../shared/adapters/processor-port.ts";
import { RefusedInputError } from "../../shared/adapters/refused-input-error.ts";
import { cards } from "../../shared/cards/card.ts";
import { toTokenNetwork } from "../../shared/contract/card-numbers.ts";
import { idPrefixes } from "../../shared/contract/identifiers.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { sendMessages } from "../../shared/platform/queue/send-messages.ts";
import { accepted, applyNow, type WebhookReceiver } from "./standard-receiver.ts";

export const marqetaReceiver = processorReceiver(marqeta);

/** Events go to the processor's queue, unless the sender waits for the decision. */
function processorReceiver(adapter: ProcessorAdapter): WebhookReceiver {
  return {
    verify: (webhook, secret) => adapter.verify(webhook, secret, now()),
    apply: async (webhook, { programId }) => {
      const findCard = (token: string) => findByToken(programId, token);
      const { events, refused, answer } = await adapter.toMessage(webhook, { programId, findCard });
      const [question] = events;
      if (answer && question) return answer(await applyNow(question));
      await sendMessages(
        environment.processorQueueUrl,
        events.map((body) => ({ body, groupId: programId })),
      );
      if (refused.length > 0) throw new RefusedInputError("VALIDATION_FAILED", refused.join(" "));
      return accepted;
    },
  };
}

const cardId = new RegExp(`^${idPrefixes.card}_`);

/** By `cardId`, or by `cardToken`, which is its ULID. */
async function findByToken(programId: string, token: string): Promise<KnownCard | undefined> {
  if (token.length > 64) return undefined;
  const id = cardId.test(token) ? token : `${idPrefixes.card}_${token}`;
  const card = await cards.at(programId, id).get();
  return card && { cardId: card.entityId, currency: card.currency, network: toTokenNetwork(card.bin) };
}
