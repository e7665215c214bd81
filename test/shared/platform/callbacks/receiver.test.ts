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
    async (name) =>
      expect(await findReceiver(`https://${name}.example.com/`)).toEqual({ fault: "ADDRESS_NOT_PUBLIC" }),
  );

  it("is nowhere where the name does not exist", async () => {
    expect(await findReceiver("https://missing.example.com/")).toEqual({ fault: "NAME_NOT_RESOLVED" });
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
  it.each(
    `hooks.example.com/card-events hooks.example.com:443/a?b=c hooks.example.com:8443/ xn--bcher-kva.example/
     bücher.example/ a_b.example.com/ HOOKS.Example.COM/ 127.0.0.1.example.com/`.split(/\s+/),
  )("may be https://%s", (text) =>
    expect(refusalOf(`https://${text}`)).toBe(new URL(`https://${text}`).href),
  );

  it.each([
    ["IPv4", "127.0.0.1 127.0.0.1. 8.8.8.8 169.254.169.254/latest/meta-data"],
    ["IPv4 in another base", "2130706433 0x7f000001 0x7f.0x0.0x0.0x1 0177.0.0.1 017700000001 0177.0x0.1"],
    ["IPv4 in fewer parts", "127.1 127.0.1 0"],
    ["IPv4 in other characters", "%31%32%37.0.0.1 １２７.0.0.1 127。0。0。1"],
    ["IPv6", "[::1] [0:0:0:0:0:0:0:1] [fd00:ec2::254] [2606:4700:4700::1111]"],
    ["IPv4 in IPv6", "[::ffff:127.0.0.1] [::ffff:7f00:1] [::127.0.0.1] [64:ff9b::7f00:1] [2002:7f00:1::]"],
    ["Teredo", "[2001:0:7f00:1::]"],
  ])("is no %s: %s", (_, hosts) => {
    const found = hosts.split(" ").map((host) => [host, refusalOf(`https://${host}/`)]);
    expect(found).toEqual(hosts.split(" ").map((host) => [host, "IP_LITERAL"]));
  });

  it.each([
    ...["localhost", "LOCALHOST", "localhost.", "foo.localhost", "localhost.localdomain", "printer.local"],
    ...["metadata.google.internal", "db.internal.", "intranet", "hooks", "hooks.example.com.", "x.onion"],
    ...["1.0.0.127.in-addr.arpa", "-bad.example.com", `${"a".repeat(64)}.example.com`, "example.123abc.9x"],
  ])("names a public host, unlike %s", (host) => {
    expect(["HOST_NOT_PUBLIC", "NOT_A_URL", "IP_LITERAL"]).toContain(refusalOf(`https://${host}/`));
  });

  it.each([
    ["NOT_HTTPS", ["http://a.example.com/", "ftp://a.example.com/", "gopher://a.example.com/"]],
    ["HAS_CREDENTIALS", ["https://user@a.example.com/", "https://:secret@a.example.com/"]],
    ["HAS_CREDENTIALS", ["https://a.example.com@127.0.0.1/"]],
    ["HAS_FRAGMENT", ["https://a.example.com/#here"]],
    ["PORT_NOT_ALLOWED", [22, 80, 9_200, 0].map((port) => `https://a.example.com:${port}/`)],
    ["NOT_A_URL", ["file:///etc/passwd", "javascript:alert(1)", "data:text/plain,x", "/relative", ""]],
    [
      "NOT_A_URL",
      ["a.example.com", "https:/a.example.com/", "https:a.example.com", "https:///a.example.com/"],
    ],
    ["NOT_A_URL", ["https://", "https:\\\\a.example.com\\", "https://a.example.com\\@127.0.0.1/"]],
    ["NOT_A_URL", [" https://a.example.com/", "https://a.exa\tmple.com/", "https://a.example.com/\u0000"]],
    ["NOT_A_URL", ["https://a.example.com/\r\nHost: x", `https://a.example.com/${"a".repeat(2048)}`]],
  ])("is %s with each of %j", (fault, texts) => {
    expect(texts.map((text) => [text, refusalOf(text)])).toEqual(texts.map((text) => [text, fault]));
  });

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
    ["this network", "0.0.0.0 0.1.2.3 ::"],
    ["loopback", "127.0.0.1 127.255.255.254 ::1"],
    ["private", "10.0.0.1 172.31.255.255 192.168.1.1 fd00::1"],
    ["link-local, a carrier's, or of a site", "169.254.1.1 fe80::1 fe80::1%eth0 100.64.0.1 fec0::1"],
    ["metadata", "169.254.169.254 169.254.170.2 fd00:ec2::254"],
    ["documentation and benchmarks", "192.0.2.1 198.51.100.1 203.0.113.1 2001:db8::1 3fff::1 198.18.0.1"],
    ["protocols and relays", "192.0.0.8 192.88.99.1 2001:20::1 5f00::1 100::1"],
    ["multicast, broadcast and reserved", "224.0.0.1 255.255.255.255 240.0.0.1 ff02::1 4000::1"],
    ["IPv4 in IPv6", "::ffff:127.0.0.1 ::ffff:7f00:1 ::ffff:8.8.8.8 ::127.0.0.1 ::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::7f00:1 64:ff9b::808:808 64:ff9b:1::a00:1"],
    ["6to4 and Teredo", "2002:7f00:1:: 2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["no address", "localhost "],
  ])("not %s: %s", (_, addresses) => {
    expect(addresses.split(" ").filter(isPublicAddress)).toEqual([]);
  });

  it.each("8.8.8.8 93.184.216.34 172.32.0.1 100.128.0.1 2606:4700:4700::1111 2a00:1450::200e".split(" "))(
    "%s is public",
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it("loopback is this machine alone", () => {
    expect(["127.0.0.1", "::1"].every(isLoopbackAddress)).toBe(true);
    expect(["10.0.0.1", "::ffff:127.0.0.1", "8.8.8.8", "localhost"].some(isLoopbackAddress)).toBe(false);
  });
});
