import { type DialectName, dialects } from "../../shared/adapters/iso8583/dialects.ts";
import { askVault } from "../../shared/domain/vault/ask-vault.ts";
import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { MessageHandler } from "./answer-message.ts";
import { type Listener, startListener } from "./listener.ts";
import { connectPlatform } from "./platform.ts";

/** Not a Lambda: a process that listens for a network's messages, by its environment variables. */
export function handler(): Promise<Listener> {
  const { host, port, dialect, messages } = environment.network;
  const ports = connectPlatform(messages);
  const answering = new MessageHandler(ports, dialects[dialect as DialectName]);
  return startListener({
    host,
    port,
    handler: answering,
    keepRefused: answering.keepRefused,
    limits: { messages },
  });
}

/** The key of the PIN zone, with which the network's side encrypts PIN blocks on this machine. */
export async function readLocalPinKey(): Promise<string> {
  return (await askVault("local-pin-key", {})).pinKey;
}

if (import.meta.main) void run();

/** Not awaited above: files that are loaded later import this one, and would wait for it. */
async function run(): Promise<void> {
  const listener = await handler();
  log.info("Listening for the network's messages.", { port: listener.port });
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, async () => {
      await listener.stop();
      process.exit(0);
    });
}
