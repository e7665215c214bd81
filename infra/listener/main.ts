import { type DialectName, dialects } from "../../shared/adapters/iso8583/dialects.ts";
import { askVault } from "../../shared/cards/ask-vault.ts";
import type { VaultOutput } from "../../shared/contract/vault.ts";
import { environment } from "../../shared/platform/environment.ts";
import { log } from "../../shared/platform/log.ts";
import { MessageHandler } from "./answer-message.ts";
import { type Door, readIdentity } from "./door.ts";
import { serveHealth } from "./health.ts";
import { type Listener, startListener } from "./listener.ts";
import { messageKinds } from "./message-kinds.ts";
import { connectPlatform, isPlatformReached } from "./platform.ts";

interface WatchedListener extends Listener {
  readonly healthPort: number;
}

/**
 * It is no Lambda, but a process that listens for a network's messages, by its environment
 * variables. With `plain`, without TLS.
 */
export async function listenForNetwork(door: Door | "plain" = deployedDoor()): Promise<WatchedListener> {
  const { host, port, healthPort, dialect, messages } = environment.listener;
  const ports = connectPlatform(messages);
  const answering = new MessageHandler(ports, dialects[dialect as DialectName], messageKinds);
  const listener = await startListener({
    host,
    port,
    handler: answering,
    keepRefused: answering.keepRefused,
    door: door === "plain" ? undefined : door,
    limits: { messages },
  });
  const health = await serveHealth({ host, port: healthPort, probe: isPlatformReached });
  const stop = () => listener.stop().finally(health.stop);
  return { ...listener, healthPort: health.port, stop };
}

/** On this machine, whoever reaches the port is the network. */
function deployedDoor(): Door | "plain" {
  if (environment.name === "local") return "plain";
  return { readIdentity, clients: environment.listenerDoor.clients };
}

/** The keys of the PIN zone, with which the network's side encrypts PIN blocks on this machine. */
export async function readLocalPinKeys(): Promise<VaultOutput<"local-pin-key">> {
  return askVault("local-pin-key", {});
}

/** A bundle exports this name, as those of functions do. */
export const handler = listenForNetwork;

if (import.meta.main) void run();

/** Not awaited above: files that are loaded later import this one, and would wait for it. */
async function run(): Promise<void> {
  const listener = await listenForNetwork();
  const { port, healthPort } = listener;
  log.info("Listening for the network's messages.", { port, healthPort });
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, async () => {
      await listener.stop();
      process.exit(0);
    });
}
