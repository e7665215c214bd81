import { type AddressInfo, createServer } from "node:net";
import { log } from "../../shared/platform/log.ts";
import { Connection, type ConnectionOptions } from "./connection.ts";
import { Turns } from "./turns.ts";

export interface Listener {
  readonly host: string;
  readonly port: number;
  /** Accepts no more connections, answers the messages that have come, and closes. */
  stop(): Promise<void>;
}

export interface ListenerOptions extends Pick<ConnectionOptions, "handler" | "keepRefused"> {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly limits?: Partial<typeof usualLimits>;
}

export const usualLimits = {
  connections: 64,
  /** Under way at once, of all connections. */
  messages: 256,
  /** A network waits for an answer for some ten seconds, of which a decision takes up to four. */
  usefulMs: 5_000,
  patienceMs: 15_000,
  /** Longer than a message begun at the last moment, shorter than Fargate waits. */
  stopMs: 20_000,
};

/** Serves a network over TCP. Answers come as they are ready, in any order. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, handler, keepRefused } = options;
  const limits = { ...usualLimits, ...options.limits };
  const { patienceMs, usefulMs, stopMs } = limits;
  const turns = new Turns(limits.messages);
  const connections = new Set<Connection>();
  // A client that sends no more may still take answers.
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    if (connections.size >= limits.connections) {
      socket.destroy();
      return;
    }
    const times = { patienceMs, usefulMs, stopMs };
    const connection = new Connection(socket, { handler, keepRefused, turns, ...times });
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  // Such as too many open files: the connections that there are go on.
  server.on("error", (error) => log.error("A connection is not accepted.", { error }));
  const stop = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    await Promise.all([...connections].map((connection) => connection.end()));
    await closed;
  };
  return { host, port: (server.address() as AddressInfo).port, stop };
}
