import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type ListenerPorts, MessageHandler } from "../../../infra/listener/answer-message.ts";
import { toFrame } from "../../../infra/listener/connection.ts";
import { type Listener, startListener } from "../../../infra/listener/listener.ts";
import { messageKinds } from "../../../infra/listener/message-kinds.ts";
import { connectPlatform } from "../../../infra/listener/platform.ts";
import { encodeMessage } from "../../../shared/adapters/iso8583/codec.ts";
import { dialects } from "../../../shared/adapters/iso8583/dialects.ts";
import { newId } from "../../../shared/platform/id.ts";
import type { Comparison } from "./comparison.ts";
import { median } from "./report.ts";

const idleConnections = 1_000;

/** Functions answer at once: what they take would only make the listener's share smaller. */
export const comparison: Comparison = {
  title: "A message from the listener's socket to its answer",
  base: "the two invocations, bare",
  figures: [
    { name: "time of a message (median)", unit: "ms", ratio: { most: 1.3 } },
    { name: "processor time of a message", unit: "ms" },
    { name: `${idleConnections} idle connections`, unit: "MB", value: { most: 20 } },
  ],
  open: async ({ name, isQuick }) => {
    const functions = startRole("functions");
    Object.assign(process.env, variablesOf(await portOf(functions)));
    const ports = { ...connectPlatform(256), isServed: async () => true };
    const connected = name === "now" ? await connectToOwn(ports) : undefined;
    const bare = async () => {
      await ports.askVault("resolve", { cardNumber });
      await ports.apply(event);
    };
    const count = isQuick ? 300 : 1_000;
    return {
      measure: async () => {
        const times = await timesOf(connected?.send ?? bare, count);
        return connected ? [...times, await megabytesOfIdle()] : times;
      },
      close: async () => {
        await connected?.close();
        functions.kill();
      },
    };
  },
};

const cardNumber = "4111111111111111";
const card = { programId: newId("program"), cardId: newId("card") };
const event = {
  kind: "authorization",
  eventId: `0100:12345.R00000000001.000001.1123181500:${card.cardId}`,
  ...card,
  authorizationId: "12345.R00000000001.000001.1123181500",
  amount: 100,
} as const;
const applied = { outcome: "applied", transId: newId("transaction"), approved: true, amount: 100 };

function variablesOf(port: number): Record<string, string> {
  return {
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "bench",
    AWS_SECRET_ACCESS_KEY: "bench",
    VAULT_FUNCTION: "vault",
    PROCESSOR_FUNCTION: "processor",
    SERVICE_NAME: "listener",
    LOG_LEVEL: "SILENT",
  };
}

/** Median and processor milliseconds of one. */
async function timesOf(work: () => Promise<unknown>, count: number): Promise<number[]> {
  const times: number[] = [];
  const began = process.cpuUsage();
  for (let index = 0; index < count; index += 1) {
    const beganMs = performance.now();
    await work();
    times.push(performance.now() - beganMs);
  }
  const { user, system } = process.cpuUsage(began);
  return [median(times), (user + system) / 1_000 / count];
}

let traces = 0;
function purchase(): Uint8Array {
  traces += 1;
  const trace = String(traces % 1_000_000).padStart(6, "0");
  return frameOf("0100", {
    ...{ 2: cardNumber, 3: "000000", 4: "000000000100", 11: trace, 22: "051", 32: "12345" },
    ...{ 37: `R${trace.padStart(11, "0")}`, 41: "TERM0001", 42: "MERCHANT0000001", 49: "840" },
    43: `${"CORNER SHOP".padEnd(23)}${"BERLIN".padEnd(13)}  DE`,
  });
}

function frameOf(mti: string, fields: Record<number, string>): Uint8Array {
  return toFrame(encodeMessage({ mti, fields: { 7: "1123181500", ...fields } }));
}

function ownListener(ports: ListenerPorts): Promise<Listener> {
  const handler = new MessageHandler(ports, dialects.default, messageKinds);
  const { keepRefused } = handler;
  const limits = { messages: 256, connections: 2 * idleConnections };
  return startListener({ host: "127.0.0.1", port: 0, handler, keepRefused, limits });
}

async function connectToOwn(ports: ListenerPorts) {
  const listener = await ownListener(ports);
  const socket = await connectTo(listener.port);
  return {
    send: () => exchange(socket, purchase()),
    close: async () => {
      socket.destroy();
      await listener.stop();
    },
  };
}

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  socket.setNoDelay(true);
  await once(socket, "connect");
  return socket;
}

async function exchange(socket: Socket, frame: Uint8Array): Promise<void> {
  const answered = once(socket, "data");
  socket.write(frame);
  await answered;
}

/** Of a listener's process that had none, once each has had an answer. */
async function megabytesOfIdle(): Promise<number> {
  const listener = startRole("listener");
  const sockets: Socket[] = [];
  const open = async (port: number, count: number) => {
    for (let opened = 0; opened < count; opened += 1) {
      const socket = await connectTo(port);
      sockets.push(socket);
      await exchange(socket, frameOf("0800", { 11: "000042", 70: "301" }));
    }
  };
  const bytes = async () => {
    listener.send("memory");
    return Number((await once(listener, "message"))[0]);
  };
  try {
    const port = await portOf(listener);
    await open(port, 20);
    const before = await bytes();
    await open(port, idleConnections);
    return ((await bytes()) - before) / 1e6;
  } finally {
    for (const socket of sockets) socket.destroy();
    listener.kill();
  }
}

type Role = "functions" | "listener";

/** Another process of this file. */
function startRole(role: Role): ChildProcess {
  return fork(new URL(import.meta.url), [role], { stdio: ["ignore", 2, 2, "ipc"] });
}

async function portOf(child: ChildProcess): Promise<number> {
  return Number((await once(child, "message"))[0]);
}

const roles: Readonly<Record<Role, () => Promise<number>>> = {
  functions: async () => {
    const server = createServer(async (request, response) => {
      await text(request);
      const found = { outcome: "found", ...card, expiryMonth: 12, expiryYear: 2040 };
      response.end(JSON.stringify(request.url?.includes("/vault/") ? found : applied));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return (server.address() as AddressInfo).port;
  },
  listener: async () => {
    Object.assign(process.env, variablesOf(0));
    const { port } = await ownListener(connectPlatform(256));
    setFlagsFromString("--expose-gc");
    const collect: () => void = runInNewContext("gc");
    process.on("message", async () => {
      for (let time = 0; time < 5; time += 1) {
        collect();
        await delay(50);
      }
      process.send?.(process.memoryUsage().rss);
    });
    return port;
  },
};

if (import.meta.main) {
  process.on("disconnect", () => process.exit());
  process.send?.(await roles[process.argv[2] as Role]());
}
