import { onTestFinished } from "vitest";
import { type ListenerOptions, startListener } from "../../infra/listener/listener.ts";
import { encodeMessage, type Message } from "../../shared/adapters/iso8583/codec.ts";
import { decodeMessage } from "../harness/decode-message.ts";
import { NetworkClient } from "../harness/network-client.ts";

export const echo = (trace: number): Message => ({
  mti: "0800",
  fields: { 7: "1123181500", 11: String(trace).padStart(6, "0"), 48: "x".repeat(900) },
});

/** A listener whose messages are answered when the test says so. */
export async function givenListener(
  answer: (message: Message) => Promise<Message | undefined> = async (message) => message,
  limits: ListenerOptions["limits"] = {},
  door?: ListenerOptions["door"],
) {
  const refused: { reason: string; input: Uint8Array }[] = [];
  const listener = await startListener({
    host: "127.0.0.1",
    port: 0,
    handler: {
      answer: async (bytes) => {
        const found = await answer(decodeMessage(bytes));
        return found && encodeMessage(found);
      },
    },
    keepRefused: async (one) => refused.push(one),
    limits,
    door,
  });
  onTestFinished(() => listener.stop());
  const connect = async () => {
    const client = await NetworkClient.connect(listener.port);
    onTestFinished(() => client.close());
    return client;
  };
  return { ...listener, refused, connect };
}

/** A listener that answers once the test opens it. */
export async function givenGate(
  limits: ListenerOptions["limits"] = {},
  look: (message: Message) => void = () => undefined,
) {
  const gate = Promise.withResolvers<void>();
  const answer = async (message: Message) => {
    look(message);
    await gate.promise;
    return message;
  };
  return { ...(await givenListener(answer, limits)), open: () => gate.resolve() };
}
