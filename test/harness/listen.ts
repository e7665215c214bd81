import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

/** On a free port of this machine, without keeping the process running. Returns its origin. */
export async function listen(server: Server): Promise<string> {
  server.on("connection", (socket) => socket.unref());
  server.listen(0, "127.0.0.1").unref();
  await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
