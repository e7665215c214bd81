import { onTestFinished, vi } from "vitest";
import { MessageHandler } from "../../infra/listener/answer-message.ts";
import { type ListenerOptions, startListener } from "../../infra/listener/listener.ts";
import { messageKinds } from "../../infra/listener/message-kinds.ts";
import { connectPlatform } from "../../infra/listener/platform.ts";
import { dialects } from "../../shared/adapters/iso8583/dialects.ts";
import { newId } from "../../shared/platform/id.ts";
import { log } from "../../shared/platform/log.ts";
import { type Functions, givenFunctions } from "../harness/given-functions.ts";
import { NetworkClient } from "../harness/network-client.ts";

const card = { programId: newId("program"), cardId: newId("card"), expiryMonth: 12, expiryYear: 2040 };

/** Functions that know one Card and approve; events when the test lets them. */
export function slowFunctions(release: (eventId: string) => Promise<void>, resolve = async () => {}) {
  const applied: string[] = [];
  const invoked: Functions = async (name, { eventId }) => {
    if (name === "vault") {
      await resolve();
      return { outcome: "found", ...card };
    }
    await release(String(eventId));
    applied.push(String(eventId));
    return { outcome: "applied", transId: newId("transaction"), approved: true, amount: 100 };
  };
  return { applied, invoked };
}

export const purchase = (trace: number) => ({
  mti: "0100",
  fields: {
    ...{ 2: "4111111111111111", 3: "000000", 4: "000000000100", 7: "1123181500" },
    ...{ 11: String(trace).padStart(6, "0"), 32: "12345", 37: `R${String(trace).padStart(11, "0")}` },
    ...{ 41: "TERM0001", 42: "MERCHANT0000001", 49: "840" },
  },
});

/** A listener that invokes them over HTTP, as in AWS. */
export async function givenSlowPlatform(invoked: Functions, limits: ListenerOptions["limits"] = {}) {
  const variables = { ...(await givenFunctions(invoked)), SERVICE_NAME: "listener" };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const ports = connectPlatform(limits.messages ?? 256);
  const handler = new MessageHandler(ports, dialects.default, messageKinds);
  const { keepRefused } = handler;
  const listener = await startListener({ host: "127.0.0.1", port: 0, handler, keepRefused, limits });
  onTestFinished(() => listener.stop());
  const connect = async () => {
    const client = await NetworkClient.connect(listener.port);
    onTestFinished(() => client.close());
    return client;
  };
  return { ...listener, connect };
}

/** Why messages have no answer, as the metric counts them meanwhile. */
export async function unansweredDuring(work: () => Promise<void>): Promise<unknown[]> {
  const spy = vi.spyOn(log, "measured").mockReturnValue();
  try {
    await work();
    const counted = spy.mock.calls.filter(([, facts]) => facts.MessagesUnanswered === 1);
    return counted.map(([, { reason }]) => reason);
  } finally {
    spy.mockRestore();
  }
}
