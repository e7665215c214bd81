import { type AddressInfo, createServer, type Socket } from "node:net";
import { log } from "../../shared/platform/log.ts";
import { Connection, type ConnectionOptions, Traffic, Turns } from "./connection.ts";
import { type Door, openDoor } from "./door.ts";

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
  /** Without one, whoever reaches the port is the network: only on this machine. */
  readonly door?: Door | undefined;
  readonly limits?: Partial<typeof usualLimits>;
}

const usualLimits = {
  connections: 64,
  /** How many may be under way at once, of all connections. */
  messages: 256,
  /** A network waits for an answer for some ten seconds, of which a decision takes up to four. */
  usefulMs: 5_000,
  patienceMs: 15_000,
  /** Longer than a message begun at the last moment, shorter than Fargate waits. */
  stopMs: 20_000,
};

/** Serves a network over TCP. Answers come as they are ready, in any order. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const { host, port, handler, keepRefused, door } = options;
  const limits = { ...usualLimits, ...options.limits };
  const { patienceMs, usefulMs, stopMs } = limits;
  const turns = new Turns(limits.messages);
  const connections = new Set<Connection>();
  const traffic = new Traffic();
  const accept = (socket: Socket) => {
    if (connections.size >= limits.connections) {
      socket.destroy();
      return;
    }
    const times = { patienceMs, usefulMs, stopMs };
    const connection = new Connection(socket, { handler, keepRefused, turns, traffic, ...times });
    connections.add(connection);
    socket.once("close", () => connections.delete(connection));
  };
  // A client that sends no more may still take answers.
  const server = door ? await openDoor(door, accept) : createServer({ allowHalfOpen: true }, accept);
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
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
    // Such as one that has not shown its certificate yet.
    for (const socket of sockets) socket.destroy();
    await closed;
    await traffic.stop();
  };
  return { host, port: (server.address() as AddressInfo).port, stop };
}
