import { once } from "node:events";
import type { Server as WebServer } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";

/** On a free port of this machine, without keeping the process running. Returns its origin. */
export async function listen(server: Server): Promise<string> {
  return `http://127.0.0.1:${await portOf(server)}`;
}

/** As `listen`. Returns the port. */
export async function portOf(server: Server): Promise<number> {
  server.on("connection", (socket) => socket.unref());
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** At which nothing listens. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await portOf(server);
  server.close();
  await once(server, "close");
  return port;
}

export async function endServer(server: WebServer): Promise<void> {
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}
