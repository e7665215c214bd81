import { once } from "node:events";
import { isIPv6 } from "node:net";
import { isMainThread, parentPort, Worker, workerData } from "node:worker_threads";
import { createServer, Packet } from "dns2";
import ipaddr from "ipaddr.js";

export interface Zone {
  addresses: Record<string, string[]>;
  names: Record<string, string[]>;
}

export interface DnsServer {
  /** In the form that `dns.Resolver.setServers` accepts. */
  address: string;
  /** False: queries get no answer, as from a dead server. */
  setAnswering(answering: boolean): void;
  stop(): Promise<void>;
}

const ttlSeconds = 60;

/**
 * Runs in a thread: callers give up after a few hundred milliseconds, and a burst of TLS handshakes
 * blocks the main thread for longer.
 */
export async function startDnsThread(zone: Zone): Promise<Omit<DnsServer, "setAnswering">> {
  const script = new URL("./dns.ts", import.meta.url);
  const worker = new Worker(script, { workerData: { zone }, execArgv: [] });
  const [address]: [string] = (await once(worker, "message")) as [string];
  return { address, stop: async () => void (await worker.terminate()) };
}

/** Serves a zone over UDP on a free loopback port. Other names do not exist (NXDOMAIN). */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const records = toRecords(zone);
  let answering = true;
  const server = createServer({
    udp: true,
    handle: (request, send) => {
      if (!answering) return;
      const response = Packet.createResponseFromRequest(request);
      response.header.aa = 1;
      const [question] = request.questions;
      const name = question?.name.toLowerCase() ?? "";
      const known = records.get(name);
      if (known === undefined) response.header.rcode = Packet.RCODE.NXDOMAIN;
      for (const { asked: _, ...record } of known ?? []) {
        if (question === undefined || record.type !== question.type) continue;
        const answer = { ...record, class: Packet.CLASS.IN, ttl: ttlSeconds };
        response.answers.push(Packet.createResourceFromQuestion(question, answer));
      }
      send(response);
    },
  });
  // A malformed query gets no answer.
  server.on("requestError", () => undefined);
  const { udp } = await server.listen({ udp: { port: 0, address: "127.0.0.1" } });
  if (udp === undefined) throw new Error("The DNS server has no port");
  return {
    address: `127.0.0.1:${udp.port}`,
    setAnswering: (next) => {
      answering = next;
    },
    stop: async () => {
      const closed = once(server, "close");
      await server.close();
      await closed;
    },
  };
}

/** By the name that is asked for. */
function toRecords({ addresses, names }: Zone) {
  const forward = Object.entries(addresses).flatMap(([name, list]) =>
    list.map((address) => {
      const type = isIPv6(address) ? Packet.TYPE.AAAA : Packet.TYPE.A;
      return { asked: name.toLowerCase(), type, address };
    }),
  );
  const back = Object.entries(names).flatMap(([address, list]) =>
    list.map((domain) => ({ asked: reverseName(address), type: Packet.TYPE.PTR, domain })),
  );
  return Map.groupBy([...forward, ...back], ({ asked }) => asked);
}

function reverseName(address: string): string {
  const bytes = ipaddr.parse(address).toByteArray();
  if (bytes.length === 4) return `${bytes.toReversed().join(".")}.in-addr.arpa`;
  const digits = Buffer.from(bytes).toString("hex");
  return `${[...digits].toReversed().join(".")}.ip6.arpa`;
}

if (!isMainThread && workerData?.zone !== undefined)
  parentPort?.postMessage((await startDnsServer(workerData.zone)).address);
