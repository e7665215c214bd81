import { onTestFinished } from "vitest";
import { handler as processor } from "../../functions/processor-events/handler.ts";
import { type ListenerPorts, MessageHandler } from "../../infra/listener/answer-message.ts";
import { type ListenerOptions, startListener } from "../../infra/listener/listener.ts";
import { messageKinds } from "../../infra/listener/message-kinds.ts";
import { Processors } from "../../infra/listener/platform.ts";
import { type DialectName, dialects } from "../../shared/adapters/iso8583/dialects.ts";
import { cards } from "../../shared/cards/card.ts";
import type { ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import { now } from "../../shared/platform/clock.ts";
import { revealTo } from "./given-device.ts";
import { vault } from "./given-vault.ts";

/** The platform's functions, called instead of invoked. */
export function givenPorts(): ListenerPorts & {
  readonly refused: { reason: string; input: Uint8Array }[];
  readonly events: ProcessorEvent[];
} {
  const refused: { reason: string; input: Uint8Array }[] = [];
  const events: ProcessorEvent[] = [];
  const call = (input: unknown) => processor(JSON.parse(JSON.stringify(input))) as Promise<ProcessorResult>;
  return {
    refused,
    events,
    askVault: vault,
    isServed: (programId) => new Processors().isServed(programId),
    apply: (event) => {
      events.push(event);
      return call(event);
    },
    keepRefused: async (one) => refused.push(one),
    now,
  };
}

/** A listener on a free port, until the test ends. */
export async function givenListener(
  ports: ListenerPorts,
  dialect: DialectName = "default",
  limits: ListenerOptions["limits"] = {},
) {
  const handler = new MessageHandler(ports, dialects[dialect], messageKinds);
  const { keepRefused } = handler;
  const listener = await startListener({ host: "127.0.0.1", port: 0, handler, keepRefused, limits });
  onTestFinished(() => listener.stop());
  return listener;
}

/** What is printed on the card. */
export async function givenCardNumber(programId: string, cardId: string) {
  const card = await cards.at(programId, cardId).get();
  if (!card) throw new Error("There is no such Card.");
  const { bin, lastFour, expiryMonth, expiryYear } = card;
  const { cardNumber, cvv } = await revealTo({ programId, cardId, bin, lastFour, expiryMonth, expiryYear });
  return { cardNumber, cvv, expiry: `${String(expiryYear).slice(2)}${String(expiryMonth).padStart(2, "0")}` };
}
