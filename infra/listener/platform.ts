import { askVault } from "../../shared/cards/ask-vault.ts";
import { ProcessorResult } from "../../shared/contract/processor.ts";
import { now } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { canInvoke, createInvoker, type InvokeFunction } from "../../shared/platform/invoke-function.ts";
import { keepRefused } from "../../shared/platform/refused/refused-input.ts";
import { leftMs } from "../../shared/platform/time-budget.ts";
import type { ListenerPorts } from "./answer-message.ts";
import { Processors } from "./processors.ts";

/** A question to a Program's receiver takes up to three seconds, and one more to lapse. */
const timeoutMs = 12_000;

/**
 * The platform's functions, invoked for so many messages at once: a message has one invocation at a
 * time. An event that failed is sent again: it is applied once.
 */
export function connectPlatform(messages: number): ListenerPorts {
  const invoke = createInvoker(messages);
  const processors = new Processors();
  // Checks come before the event. Too late a message ends with them: it moves no money.
  const invokeInTime: InvokeFunction = (name, input, ms = 8_000) =>
    invoke(name, input, Math.ceil(Math.max(1, Math.min(ms, leftMs()))));
  return {
    askVault: (command, input) => askVault(command, input, invokeInTime),
    isServed: (programId) => processors.isServed(programId),
    apply: async (event) =>
      ProcessorResult.parse(await invoke(environment.processorFunction, event, timeoutMs)),
    keepRefused: (refused) => keepRefused({ port: "network", ...refused }),
    now,
  };
}

/** Whether this listener can invoke what answers a message. */
export async function isPlatformReached(): Promise<boolean> {
  const functions = [environment.vaultFunction, environment.processorFunction];
  return (await Promise.all(functions.map((name) => canInvoke(name)))).every(Boolean);
}
