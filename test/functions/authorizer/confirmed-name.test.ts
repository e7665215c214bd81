import { Resolver } from "node:dns/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { nameVerdict } from "../../../functions/authorizer/confirmed-name.ts";
import { type DnsServer, startDnsServer } from "../../../infra/local/dns.ts";

const domains = ["demo.test"];

describe("forward-confirmed reverse DNS", () => {
  let dns: DnsServer;

  beforeAll(async () => {
    dns = await startDnsServer({
      names: {
        "192.0.2.1": ["client.demo.test"],
        "192.0.2.2": ["demo.test"],
        "192.0.2.3": ["CLIENT.Demo.TEST"],
        "192.0.2.4": ["mail.other.test", "client4.demo.test"],
        "192.0.2.5": ["xn--bcher-kva.demo.test"],
        "192.0.2.6": ["client6.6demo.test"],
        "2001:db8::1": ["v6.demo.test"],
        "198.51.100.1": ["client.other.test"],
        "198.51.100.2": ["evildemo.test"],
        "198.51.100.3": ["demo.test.evil.test"],
        "198.51.100.4": ["client.demo.test"],
        "198.51.100.5": ["nowhere.demo.test"],
        "198.51.100.6": ["v6.demo.test"],
        "198.51.100.7": ["test"],
        "198.51.100.9": ["*.client.demo.test"],
        "198.51.100.10": ["client*.demo.test"],
        "198.51.100.11": ["the client.demo.test"],
        "2001:db8::2": ["v6.demo.test"],
        "192.0.2.8": [...Array(11).keys()].map((number) => `n${number}.demo.test`).concat("c8.demo.test"),
      },
      addresses: {
        "client.demo.test": ["192.0.2.1", "192.0.2.3"],
        "demo.test": ["192.0.2.2"],
        "client4.demo.test": ["192.0.2.4"],
        "xn--bcher-kva.demo.test": ["192.0.2.5"],
        "client6.6demo.test": ["192.0.2.6"],
        "v6.demo.test": ["2001:db8::1"],
        "client.other.test": ["198.51.100.1"],
        "evildemo.test": ["198.51.100.2"],
        "demo.test.evil.test": ["198.51.100.3"],
        test: ["198.51.100.7"],
        "*.client.demo.test": ["198.51.100.9"],
        "client*.demo.test": ["198.51.100.10"],
        "c8.demo.test": ["192.0.2.8"],
      },
    });
  });
  afterAll(() => dns.stop());

  afterEach(() => {
    dns.setAnswering(true);
    vi.useRealTimers();
    vi.restoreAllMocks();
  });

  /** The cache is of the process: each test asks for addresses of its own. */
  const ask = (ip: string, of: readonly string[] = domains) => {
    process.env.DNS_SERVERS = dns.address;
    return nameVerdict(ip, of);
  };

  it.each([
    ["a name under the domain", "192.0.2.1"],
    ["the domain itself", "192.0.2.2"],
    ["a name in upper case", "192.0.2.3"],
    ["the second of two names", "192.0.2.4"],
    ["an internationalized name", "192.0.2.5"],
    ["the last of many names", "192.0.2.8"],
    ["an IPv6 address", "2001:db8::1"],
    ["an IPv6 address written out", "2001:0DB8:0:0:0:0:0:0001"],
    ["an IPv4 address in its IPv6 form", "::ffff:192.0.2.1"],
    ["an IPv4 address in its IPv6 form, in hexadecimal", "::FFFF:c000:0201"],
  ])("confirms %s", async (_, ip) => {
    expect(await ask(ip)).toBe("confirmed");
  });

  it("confirms under any of the certificate's domains", async () => {
    expect(await ask("192.0.2.1", ["other.test", "demo.test"])).toBe("confirmed");
  });

  it.each([
    ["an address without a name", "198.51.100.200"],
    ["a name under another domain", "198.51.100.1"],
    ["a name that ends like the domain, but not at a dot", "198.51.100.2"],
    ["a name that begins like the domain", "198.51.100.3"],
    ["a name that leads to other addresses", "198.51.100.4"],
    ["a name that leads nowhere", "198.51.100.5"],
    ["an IPv4 address whose name leads to IPv6 alone", "198.51.100.6"],
    ["a name above the domain", "198.51.100.7"],
    ["an IPv6 address whose name leads to another", "2001:db8::2"],
    ["a wildcard, though it leads back", "198.51.100.9"],
    ["what is no host name, though it leads back", "198.51.100.10"],
    ["what nobody can ask for", "198.51.100.11"],
    ["what is no address", "client.demo.test"],
    ["no address", ""],
  ])("does not confirm %s", async (_, ip) => {
    expect(await ask(ip)).toBe("unconfirmed");
  });

  it("queries the system's servers if none are set, as in AWS", async () => {
    const asked: string[][] = [];
    vi.spyOn(Resolver.prototype, "resolvePtr").mockImplementation(async function (this: Resolver) {
      asked.push(this.getServers());
      return [];
    });
    process.env.DNS_SERVERS = "";
    expect(await nameVerdict("192.0.2.7", domains)).toBe("unconfirmed");
    expect(asked).toEqual([new Resolver().getServers()]);
    expect(asked).not.toEqual([[]]);
  });

  it("keeps a verdict apart from another certificate's", async () => {
    expect(await ask("192.0.2.1", ["demo.test"])).toBe("confirmed");
    expect(await ask("192.0.2.1", ["other.test"])).toBe("unconfirmed");
  });

  it("keeps each address's verdict separate, for any domains", async () => {
    expect(await ask("192.0.2.6", ["6demo.test"])).toBe("confirmed");
    expect(await ask("192.0.2.66", ["demo.test"])).toBe("unconfirmed");
  });

  it("queries again after a minute, and not earlier", async () => {
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    expect(await ask("192.0.2.1", ["demo.test", "minute.test"])).toBe("confirmed");
    dns.setAnswering(false);
    vi.setSystemTime(startMs + 59_000);
    expect(await ask("192.0.2.1", ["demo.test", "minute.test"])).toBe("confirmed");
    vi.setSystemTime(startMs + 60_000);
    expect(await ask("192.0.2.1", ["demo.test", "minute.test"])).toBe("recentlyConfirmed");
  });

  it("keeps a confirmation for ten minutes from DNS's own answer while DNS is silent", async () => {
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    const again = () => ask("192.0.2.1", ["demo.test", "outage.test"]);
    expect(await again()).toBe("confirmed");
    dns.setAnswering(false);
    vi.setSystemTime(startMs + 300_000);
    expect(await again()).toBe("recentlyConfirmed");
    vi.setSystemTime(startMs + 597_000);
    expect(await again()).toBe("recentlyConfirmed");
    // Within the five seconds for which the silence itself is kept.
    vi.setSystemTime(startMs + 600_000);
    expect(await again()).toBe("unavailable");
    vi.setSystemTime(startMs + 700_000);
    expect(await again()).toBe("unavailable");
    dns.setAnswering(true);
    vi.setSystemTime(startMs + 706_000);
    expect(await again()).toBe("confirmed");
  });

  it("forgets a confirmation at DNS's first negative answer", async () => {
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    const again = () => ask("192.0.2.1", ["demo.test", "withdrawn.test"]);
    expect(await again()).toBe("confirmed");
    vi.setSystemTime(startMs + 60_000);
    vi.spyOn(Resolver.prototype, "resolvePtr").mockResolvedValueOnce([]);
    expect(await again()).toBe("unconfirmed");
    dns.setAnswering(false);
    vi.setSystemTime(startMs + 70_000);
    expect(await again()).toBe("unavailable");
  });

  it("queries again after ten seconds if a name was missing", async () => {
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    expect(await ask("198.51.100.201")).toBe("unconfirmed");
    dns.setAnswering(false);
    vi.setSystemTime(startMs + 9_000);
    expect(await ask("198.51.100.201")).toBe("unconfirmed");
    vi.setSystemTime(startMs + 10_000);
    expect(await ask("198.51.100.201")).toBe("unavailable");
  });

  it("recovers five seconds after DNS does", async () => {
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    const again = () => ask("192.0.2.1", ["demo.test", "recovery.test"]);
    dns.setAnswering(false);
    expect(await again()).toBe("unavailable");
    dns.setAnswering(true);
    expect(await again()).toBe("unavailable");
    vi.setSystemTime(startMs + 5_000);
    expect(await again()).toBe("confirmed");
  });
});
