import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer, type Zone } from "../../../../infra/local/dns.ts";
import { findReceiver } from "../../../../shared/platform/callbacks/receiver.ts";

/** The server reads the zone once: a changed name needs a second server. */
const zone: Zone = {
  names: {},
  addresses: {
    "public.example.com": ["93.184.216.34", "2606:2800:220:1::1"],
    "v6.example.com": ["2606:2800:220:1::1"],
    "loopback.example.com": ["127.0.0.1"],
    "metadata.example.com": ["169.254.169.254"],
    "cgnat.example.com": ["100.64.1.1"],
    "mapped.example.com": ["::ffff:10.0.0.1"],
    "nat64.example.com": ["64:ff9b::a00:1"],
    "half.example.com": ["93.184.216.34", "10.0.0.1"],
    "half6.example.com": ["93.184.216.34", "fd00::1"],
    "rebind.example.com": ["93.184.216.34"],
  },
};

describe("where callbacks to a URL go", () => {
  let dns: DnsServer;
  let rebound: DnsServer;

  beforeAll(async () => {
    dns = await startDnsServer(zone);
    rebound = await startDnsServer({ names: {}, addresses: { "rebind.example.com": ["127.0.0.1"] } });
  });
  afterAll(() => Promise.all([dns.stop(), rebound.stop()]));
  beforeEach(() => {
    Object.assign(process.env, { DNS_SERVERS: dns.address, ALLOWED_RECEIVERS: "" });
  });

  it("is the address that DNS gives, IPv4 first, and the name is kept for TLS", async () => {
    expect(await findReceiver("https://public.example.com/a")).toEqual({
      url: new URL("https://public.example.com/a"),
      address: "93.184.216.34",
      isLocal: false,
    });
    expect(await findReceiver("https://v6.example.com/")).toMatchObject({ address: "2606:2800:220:1::1" });
  });

  it.each(["loopback", "metadata", "cgnat", "mapped", "nat64", "half", "half6"])(
    "is nowhere where DNS gives an address that is not public: %s",
    async (name) => {
      const found = await findReceiver(`https://${name}.example.com/`);
      expect(found).toEqual({ fault: "ADDRESS_NOT_PUBLIC" });
    },
  );

  it("is nowhere where the name does not exist", async () => {
    const found = await findReceiver("https://missing.example.com/");
    expect(found).toEqual({ fault: "NAME_NOT_RESOLVED" });
  });

  it("never asks DNS about a literal", async () => {
    const socket = createSocket("udp4").bind(0, "127.0.0.1");
    await once(socket, "listening");
    let questions = 0;
    socket.on("message", () => {
      questions += 1;
    });
    process.env.DNS_SERVERS = `127.0.0.1:${socket.address().port}`;
    expect(await findReceiver("https://0x7f000001/")).toEqual({ fault: "IP_LITERAL" });
    expect(questions).toBe(0);
    socket.close();
  });

  it("is checked each time: a name that now leads to a private address is rejected", async () => {
    expect(await findReceiver("https://rebind.example.com/")).toMatchObject({ address: "93.184.216.34" });
    process.env.DNS_SERVERS = rebound.address;
    expect(await findReceiver("https://rebind.example.com/")).toEqual({ fault: "ADDRESS_NOT_PUBLIC" });
  });

  it("is known within three seconds though DNS be dead", async () => {
    dns.setAnswering(false);
    // Timers go off in the order of their times, however late a busy machine is with all of them.
    const found = await Promise.race([
      findReceiver("https://public.example.com/"),
      setTimeout(3_000, "later"),
    ]);
    expect(found).toEqual({ fault: "NAME_NOT_RESOLVED" });
    dns.setAnswering(true);
  });

  it("may be the local environment's own receiver, on loopback alone", async () => {
    process.env.ALLOWED_RECEIVERS =
      "http://127.0.0.1:9000,http://localhost:9001,http://[::1]:9002,http://10.0.0.1:9003";
    const addressOf = async (url: string) => {
      const found = await findReceiver(url);
      return "fault" in found ? found.fault : [found.address, found.isLocal];
    };
    expect(await addressOf("http://127.0.0.1:9000/a")).toEqual(["127.0.0.1", true]);
    expect(await addressOf("http://localhost:9001/")).toEqual(["127.0.0.1", true]);
    expect(await addressOf("http://[::1]:9002/")).toEqual(["::1", true]);
    expect(await addressOf("http://10.0.0.1:9003/")).toBe("ADDRESS_NOT_PUBLIC");
    expect(await addressOf("http://127.0.0.1:9004/")).toBe("NOT_HTTPS");
  });
});
