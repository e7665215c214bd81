import { afterAll, beforeAll } from "vitest";
import { startDnsServer } from "../../infra/local/dns.ts";
import { type Receiver, startReceiver } from "./receiver.ts";

/**
 * For the tests of a file: `publicHost` resolves to a public address, inside.example.com to a
 * private one, and a loopback receiver is allowed.
 */
export function useReceiverHosts(publicHost: string): { readonly receiver: Receiver } {
  const hosts = {} as { receiver: Receiver; stop: () => Promise<unknown> };
  beforeAll(async () => {
    const addresses = { [publicHost]: ["93.184.216.34"], "inside.example.com": ["10.0.0.1"] };
    const [receiver, dns] = await Promise.all([startReceiver(), startDnsServer({ names: {}, addresses })]);
    Object.assign(hosts, { receiver, stop: () => Promise.all([receiver.stop(), dns.stop()]) });
    Object.assign(process.env, { DNS_SERVERS: dns.address, ALLOWED_RECEIVERS: receiver.origin });
  });
  afterAll(() => hosts.stop());
  return hosts;
}
