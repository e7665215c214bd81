import { once } from "node:events";
import { isIPv6 } from "node:net";
import { createServer, Packet } from "dns2";

/** The names that the server knows. */
export interface Zone {
  /** Addresses of a name, IPv4 and IPv6 mixed. */
  addresses: Record<string, string[]>;
  /** Names of an address. */
  names: Record<string, string[]>;
}

export interface DnsServer {
  /** As `dns.Resolver.setServers` takes it. */
  address: string;
  /** Off: queries get no answer at all, as from a dead server. */
  setAnswering(answering: boolean): void;
  stop(): Promise<void>;
}

const TTL_SECONDS = 60;

/** Loopback has a confirmed name, but for 127.0.0.3: that address shows what a missing name does. */
export const DEMO_ZONE: Zone = {
  addresses: { "client.demo.test": ["127.0.0.1", "::1"] },
  names: { "127.0.0.1": ["client.demo.test"], "::1": ["client.demo.test"] },
};

/** Serves a zone over UDP on a free loopback port. Whatever the zone lacks does not exist (NXDOMAIN). */
export async function startDnsServer(zone: Zone): Promise<DnsServer> {
  const records = pointers(zone);
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
      for (const record of known ?? []) {
        if (question === undefined || record.type !== question.type) continue;
        const answer = { ...record, ttl: TTL_SECONDS };
        response.answers.push(Packet.createResourceFromQuestion(question, answer));
      }
      send(response);
    },
  });
  // A malformed query is the sender's fault and gets no answer.
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

interface ZoneRecord {
  type: number;
  class: number;
  address?: string;
  domain?: string;
}

function pointers({ addresses, names }: Zone): Map<string, ZoneRecord[]> {
  const records = new Map<string, ZoneRecord[]>();
  const add = (name: string, record: Omit<ZoneRecord, "class">): void => {
    records.set(name, [...(records.get(name) ?? []), { ...record, class: Packet.CLASS.IN }]);
  };
  for (const [name, list] of Object.entries(addresses)) {
    for (const address of list) {
      add(name.toLowerCase(), { type: isIPv6(address) ? Packet.TYPE.AAAA : Packet.TYPE.A, address });
    }
  }
  for (const [address, list] of Object.entries(names)) {
    for (const domain of list) add(reverseName(address), { type: Packet.TYPE.PTR, domain });
  }
  return records;
}

/** The name under in-addr.arpa or ip6.arpa that holds the pointers of an address. */
function reverseName(address: string): string {
  if (!isIPv6(address)) return `${address.split(".").reverse().join(".")}.in-addr.arpa`;
  const [head = "", tail = ""] = address.split("::");
  const groups = (part: string): string[] => part.split(":").filter((group) => group !== "");
  const before = groups(head);
  const after = groups(tail);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const digits = [...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join("");
  return `${[...digits.toLowerCase()].reverse().join(".")}.ip6.arpa`;
}
