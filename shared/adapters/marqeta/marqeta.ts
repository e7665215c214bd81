import type { ProcessorEvent } from "../../contract/processor.ts";
import { hasBasicPassword } from "../../platform/callbacks/basic-password.ts";
import type { ProcessorAdapter, ProcessorMessage, ToEvents, Webhook } from "../processor-port.ts";
import { readJson } from "../read-json.ts";
import { RefusedInputError } from "../refused-input-error.ts";
import { toQuestion } from "./jit-funding.ts";
import { Notification, TokenTransition, Transaction } from "./messages.ts";
import { UnknownTransaction } from "./references.ts";
import { isOwnAccounts, toEvent, toTokenNotice } from "./transaction.ts";

/**
 * Webhooks and Gateway JIT Funding requests of Marqeta's Core API. `card_token` is the Card's
 * `cardToken`, or its `cardId`: the Program creates its cards at Marqeta with it as their token.
 */
export const marqeta: ProcessorAdapter = {
  verify: ({ headers }, secret) => hasBasicPassword(headers.authorization, "marqeta", secret),

  async toMessage({ body }: Webhook, options: ToEvents): Promise<ProcessorMessage> {
    // What is null is not there.
    const input = readJson(body, (_, value) => value ?? undefined);
    const request = Transaction.safeParse(input);
    const jit = request.data?.gpa_order?.jit_funding;
    if (request.data && jit) {
      const { event, answer } = await naming("the transaction", async () =>
        toQuestion(request.data, jit, options.programId, await findCard(request.data, options)),
      );
      return { events: event ? [event] : [], refused: [], ...(answer && { answer }) };
    }
    const groups = Notification.safeParse(input);
    if (!groups.success)
      throw new RefusedInputError("MALFORMED_BODY", "It is neither a webhook nor a JIT Funding request.");
    return joined([
      await readGroup("transactions", groups.data, (one) => readTransaction(one, options)),
      await readGroup("digitalwallettokentransitions", groups.data, (one) => readTransition(one, options)),
    ]);
  },
};

/** Other groups, such as card transitions, change nothing at the platform. */
async function readGroup(
  group: string,
  groups: Notification,
  read: (one: unknown) => Promise<ProcessorEvent | undefined>,
): Promise<ProcessorMessage> {
  const events: ProcessorEvent[] = [];
  const refused: string[] = [];
  for (const [index, one] of (groups[group] ?? []).entries()) {
    try {
      const event = await naming(`${group}[${index}]`, () => read(one));
      if (event) events.push(event);
    } catch (error) {
      if (!(error instanceof RefusedInputError)) throw error;
      refused.push(error.message);
    }
  }
  return { events, refused };
}

function joined(messages: readonly ProcessorMessage[]): ProcessorMessage {
  return {
    events: messages.flatMap(({ events }) => events),
    refused: messages.flatMap(({ refused }) => refused),
  };
}

async function readTransition(input: unknown, options: ToEvents): Promise<ProcessorEvent | undefined> {
  const parsed = TokenTransition.safeParse(input);
  if (!parsed.success) throw new UnknownTransaction(`lacks ${parsed.error.issues[0]?.path.join(".")}`);
  const card = await findCard(parsed.data.digital_wallet_token, options);
  return toTokenNotice(parsed.data, options.programId, card);
}

async function readTransaction(input: unknown, options: ToEvents): Promise<ProcessorEvent | undefined> {
  const parsed = Transaction.safeParse(input);
  if (!parsed.success) throw new UnknownTransaction(`lacks ${parsed.error.issues[0]?.path.join(".")}`);
  if (isOwnAccounts(parsed.data)) return undefined;
  return toEvent(parsed.data, options.programId, await findCard(parsed.data, options));
}

async function findCard(
  { card_token }: { readonly card_token?: string | undefined },
  { findCard: find }: ToEvents,
) {
  const card = card_token === undefined ? undefined : await find(card_token);
  if (!card) throw new UnknownTransaction("names no Card of the Program (card_token)");
  return card;
}

/** @throws RefusedInputError that says which part of the message is wrong */
async function naming<T>(part: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof UnknownTransaction)) throw error;
    throw new RefusedInputError("VALIDATION_FAILED", `${part} ${error.message}.`);
  }
}
