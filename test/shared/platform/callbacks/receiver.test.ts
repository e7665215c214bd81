import { createSocket } from "node:dgram";
import { once } from "node:events";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer, type Zone } from "../../../../infra/local/dns.ts";
import {
  findReceiver,
  isLoopbackAddress,
  isPublicAddress,
  parseReceiverUrl,
} from "../../../../shared/platform/callbacks/receiver.ts";

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

const refusalOf = (text: string, allowed: readonly string[] = []) => {
  const parsed = parseReceiverUrl(text, allowed);
  return "fault" in parsed ? parsed.fault : parsed.url.href;
};

describe("the URL of a receiver", () => {
  it.each([
    "https://hooks.example.com/card-events",
    "https://hooks.example.com:443/a?b=c",
    "https://hooks.example.com:8443/",
    "https://xn--bcher-kva.example/",
    "https://bücher.example/",
    "https://a_b.example.com/",
    "https://HOOKS.Example.COM/",
    "https://127.0.0.1.example.com/",
  ])("may be %s", (text) => expect(refusalOf(text)).toBe(new URL(text).href));

  it.each([
    ["https://127.0.0.1/", "dotted"],
    ["https://2130706433/", "decimal"],
    ["https://0x7f000001/", "hexadecimal"],
    ["https://0x7f.0x0.0x0.0x1/", "hexadecimal parts"],
    ["https://0177.0.0.1/", "octal"],
    ["https://017700000001/", "octal whole"],
    ["https://127.1/", "short"],
    ["https://127.0.1/", "short, three parts"],
    ["https://0/", "shortest"],
    ["https://0177.0x0.1/", "mixed"],
    ["https://127.0.0.1./", "with a trailing dot"],
    ["https://%31%32%37.0.0.1/", "percent-encoded"],
    ["https://１２７.0.0.1/", "full-width digits"],
    ["https://127。0。0。1/", "ideographic dots"],
    ["https://169.254.169.254/latest/meta-data", "metadata"],
    ["https://8.8.8.8/", "public"],
    ["https://[::1]/", "IPv6"],
    ["https://[0:0:0:0:0:0:0:1]/", "IPv6 written out"],
    ["https://[::ffff:127.0.0.1]/", "IPv4-mapped"],
    ["https://[::ffff:7f00:1]/", "IPv4-mapped in hexadecimal"],
    ["https://[::127.0.0.1]/", "IPv4-compatible"],
    ["https://[64:ff9b::7f00:1]/", "NAT64"],
    ["https://[2002:7f00:1::]/", "6to4"],
    ["https://[2001:0:7f00:1::]/", "Teredo"],
    ["https://[fd00:ec2::254]/", "IPv6 metadata"],
    ["https://[2606:4700:4700::1111]/", "public IPv6"],
  ])("is no IP literal: %s (%s)", (text) => expect(refusalOf(text)).toBe("IP_LITERAL"));

  it.each([
    "https://localhost/",
    "https://LOCALHOST/",
    "https://localhost./",
    "https://foo.localhost/",
    "https://localhost.localdomain/",
    "https://printer.local/",
    "https://metadata.google.internal/",
    "https://db.internal./",
    "https://intranet/",
    "https://hooks/",
    "https://hooks.example.com./",
    "https://1.0.0.127.in-addr.arpa/",
    "https://x.onion/",
    "https://-bad.example.com/",
    `https://${"a".repeat(64)}.example.com/`,
    "https://example.123abc.9x/",
  ])("names a public host, unlike %s", (text) => {
    expect(["HOST_NOT_PUBLIC", "NOT_A_URL", "IP_LITERAL"]).toContain(refusalOf(text));
  });

  it.each([
    ["http://hooks.example.com/", "NOT_HTTPS"],
    ["ftp://hooks.example.com/", "NOT_HTTPS"],
    ["file:///etc/passwd", "NOT_A_URL"],
    ["gopher://hooks.example.com/", "NOT_HTTPS"],
    ["javascript:alert(1)", "NOT_A_URL"],
    ["data:text/plain,x", "NOT_A_URL"],
    ["https://user@hooks.example.com/", "HAS_CREDENTIALS"],
    ["https://:secret@hooks.example.com/", "HAS_CREDENTIALS"],
    ["https://hooks.example.com@127.0.0.1/", "HAS_CREDENTIALS"],
    ["https://hooks.example.com/#here", "HAS_FRAGMENT"],
    ["https://hooks.example.com:22/", "PORT_NOT_ALLOWED"],
    ["https://hooks.example.com:80/", "PORT_NOT_ALLOWED"],
    ["https://hooks.example.com:9200/", "PORT_NOT_ALLOWED"],
    ["https://hooks.example.com:0/", "PORT_NOT_ALLOWED"],
    ["https:/hooks.example.com/", "NOT_A_URL"],
    ["https:hooks.example.com", "NOT_A_URL"],
    ["https:///hooks.example.com/", "NOT_A_URL"],
    ["https:\\\\hooks.example.com\\", "NOT_A_URL"],
    ["https://hooks.example.com\\@127.0.0.1/", "NOT_A_URL"],
    ["https://hooks.exa\tmple.com/", "NOT_A_URL"],
    ["https://hooks.example.com/\r\nHost: x", "NOT_A_URL"],
    [" https://hooks.example.com/", "NOT_A_URL"],
    ["https://hooks.example.com/\u0000", "NOT_A_URL"],
    ["https://", "NOT_A_URL"],
    ["hooks.example.com", "NOT_A_URL"],
    ["/relative", "NOT_A_URL"],
    ["", "NOT_A_URL"],
    [`https://hooks.example.com/${"a".repeat(2048)}`, "NOT_A_URL"],
  ])("is not %j", (text, fault) => expect(refusalOf(text)).toBe(fault));

  it("may be of an allowed origin, and of that one exactly", () => {
    const allowed = ["http://127.0.0.1:9000"];
    expect(refusalOf("http://127.0.0.1:9000/hook?a=b", allowed)).toBe("http://127.0.0.1:9000/hook?a=b");
    expect(refusalOf("http://127.0.0.1:9001/hook", allowed)).toBe("NOT_HTTPS");
    expect(refusalOf("https://127.0.0.1:9000/hook", allowed)).toBe("IP_LITERAL");
    expect(refusalOf("http://127.0.0.1:9000@example.com/hook", allowed)).toBe("HAS_CREDENTIALS");
    expect(refusalOf("http://a:b@127.0.0.1:9000/hook", allowed)).toBe("HAS_CREDENTIALS");
    expect(refusalOf("http://127.0.0.1:90001/hook", allowed)).toBe("NOT_A_URL");
  });
});

describe("the addresses that callbacks may go to", () => {
  it.each([
    ["this network", "0.0.0.0"],
    ["this network's hosts", "0.1.2.3"],
    ["loopback", "127.0.0.1"],
    ["all of loopback", "127.255.255.254"],
    ["private 10", "10.0.0.1"],
    ["private 172.16", "172.31.255.255"],
    ["private 192.168", "192.168.1.1"],
    ["carrier-grade NAT", "100.64.0.1"],
    ["link-local", "169.254.1.1"],
    ["instance metadata", "169.254.169.254"],
    ["container metadata", "169.254.170.2"],
    ["protocol assignments", "192.0.0.8"],
    ["documentation", "192.0.2.1"],
    ["documentation 2", "198.51.100.1"],
    ["documentation 3", "203.0.113.1"],
    ["benchmarks", "198.18.0.1"],
    ["6to4 relays", "192.88.99.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["IPv6 unspecified", "::"],
    ["IPv6 loopback", "::1"],
    ["IPv4-mapped", "::ffff:127.0.0.1"],
    ["IPv4-mapped in hexadecimal", "::ffff:7f00:1"],
    ["IPv4-mapped, public inside", "::ffff:8.8.8.8"],
    ["IPv4-compatible", "::127.0.0.1"],
    ["IPv4-translated", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1"],
    ["NAT64, public inside", "64:ff9b::808:808"],
    ["NAT64 of a network", "64:ff9b:1::a00:1"],
    ["6to4", "2002:7f00:1::"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["unique local", "fd00::1"],
    ["metadata over IPv6", "fd00:ec2::254"],
    ["IPv6 link-local", "fe80::1"],
    ["IPv6 link-local with a zone", "fe80::1%eth0"],
    ["site-local", "fec0::1"],
    ["IPv6 multicast", "ff02::1"],
    ["discard", "100::1"],
    ["IPv6 documentation", "2001:db8::1"],
    ["IPv6 documentation 2", "3fff::1"],
    ["ORCHID", "2001:20::1"],
    ["segment routing", "5f00::1"],
    ["outside of global unicast", "4000::1"],
    ["no address at all", "localhost"],
    ["nothing", ""],
  ])("not %s: %s", (_, address) => expect(isPublicAddress(address)).toBe(false));

  it.each([
    "8.8.8.8",
    "93.184.216.34",
    "172.32.0.1",
    "100.128.0.1",
    "2606:4700:4700::1111",
    "2a00:1450::200e",
  ])("%s is public", (address) => expect(isPublicAddress(address)).toBe(true));

  it("loopback is this machine alone", () => {
    expect(["127.0.0.1", "::1"].every(isLoopbackAddress)).toBe(true);
    expect(["10.0.0.1", "::ffff:127.0.0.1", "8.8.8.8", "localhost"].some(isLoopbackAddress)).toBe(false);
  });
});
