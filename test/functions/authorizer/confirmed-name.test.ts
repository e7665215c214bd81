import { createSocket } from "node:dgram";
import { once } from "node:events";
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
        "2001:db8::1": ["v6.demo.test"],
        "198.51.100.1": ["client.other.test"],
        "198.51.100.2": ["evildemo.test"],
        "198.51.100.3": ["demo.test.evil.test"],
        "198.51.100.4": ["client.demo.test"],
        "198.51.100.5": ["nowhere.demo.test"],
        "198.51.100.6": ["v6.demo.test"],
        "198.51.100.7": ["test"],
        "2001:db8::2": ["v6.demo.test"],
        // Many names of nobody's, and the right one behind them: an answer must not become a flood of questions.
        "198.51.100.8": [...Array(8).keys()].map((number) => `n${number}.demo.test`).concat("c8.demo.test"),
      },
      addresses: {
        "client.demo.test": ["192.0.2.1", "192.0.2.3"],
        "demo.test": ["192.0.2.2"],
        "client4.demo.test": ["192.0.2.4"],
        "xn--bcher-kva.demo.test": ["192.0.2.5"],
        "v6.demo.test": ["2001:db8::1"],
        "client.other.test": ["198.51.100.1"],
        "evildemo.test": ["198.51.100.2"],
        "demo.test.evil.test": ["198.51.100.3"],
        test: ["198.51.100.7"],
        "c8.demo.test": ["198.51.100.8"],
      },
    });
  });
  afterAll(() => dns.stop());

  afterEach(() => {
    dns.setAnswering(true);
    vi.useRealTimers();
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
    ["a right name behind more names than are looked at", "198.51.100.8"],
    ["an IPv6 address whose name leads to another", "2001:db8::2"],
    ["what is no address", "client.demo.test"],
    ["no address", ""],
  ])("does not confirm %s", async (_, ip) => {
    expect(await ask(ip)).toBe("unconfirmed");
  });

  it("keeps a verdict apart from another certificate's", async () => {
    expect(await ask("192.0.2.1", ["demo.test"])).toBe("confirmed");
    expect(await ask("192.0.2.1", ["other.test"])).toBe("unconfirmed");
  });

  it("asks again after a minute, and no sooner", async () => {
    const startMs = Date.now();
    vi.useFakeTimers({ toFake: ["Date"], now: startMs });
    expect(await ask("192.0.2.1", ["demo.test", "minute.test"])).toBe("confirmed");
    dns.setAnswering(false);
    vi.setSystemTime(startMs + 59_000);
    expect(await ask("192.0.2.1", ["demo.test", "minute.test"])).toBe("confirmed");
    vi.setSystemTime(startMs + 60_000);
    expect(await ask("192.0.2.1", ["demo.test", "minute.test"])).toBe("unavailable");
  });

  it("asks again after ten seconds when a name was missing", async () => {
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

  describe("a dead DNS server", () => {
    const timed = async (ip: string) => {
      const startMs = performance.now();
      const verdict = await nameVerdict(ip, domains);
      return { verdict, tookMs: performance.now() - startMs };
    };

    it("that never answers opens nothing, and takes less than a second", async () => {
      const silent = createSocket("udp4").bind(0, "127.0.0.1");
      await once(silent, "listening");
      process.env.DNS_SERVERS = `127.0.0.1:${silent.address().port}`;
      const { verdict, tookMs } = await timed("203.0.113.1");
      expect(verdict).toBe("unavailable");
      expect(tookMs).toBeLessThan(1_000);
      const waited = await timed("203.0.113.1");
      expect(waited.verdict).toBe("unavailable");
      expect(waited.tookMs).toBeLessThan(100);
      silent.close();
    });

    it("of three in a row takes less than a second as well", async () => {
      const silent = [createSocket("udp4"), createSocket("udp4"), createSocket("udp4")];
      for (const socket of silent) await once(socket.bind(0, "127.0.0.1"), "listening");
      process.env.DNS_SERVERS = silent.map((socket) => `127.0.0.1:${socket.address().port}`).join(",");
      const { verdict, tookMs } = await timed("203.0.113.2");
      expect(verdict).toBe("unavailable");
      expect(tookMs).toBeLessThan(1_000);
      for (const socket of silent) socket.close();
    });

    it("that nobody runs any more opens nothing", async () => {
      const gone = createSocket("udp4").bind(0, "127.0.0.1");
      await once(gone, "listening");
      process.env.DNS_SERVERS = `127.0.0.1:${gone.address().port}`;
      gone.close();
      await once(gone, "close");
      const { verdict, tookMs } = await timed("203.0.113.3");
      expect(verdict).toBe("unavailable");
      expect(tookMs).toBeLessThan(1_000);
    });

    it("that answers with garbage opens nothing", async () => {
      const garbage = createSocket("udp4").bind(0, "127.0.0.1");
      await once(garbage, "listening");
      garbage.on("message", (_, from) => garbage.send("garbage", from.port, from.address));
      process.env.DNS_SERVERS = `127.0.0.1:${garbage.address().port}`;
      const { verdict, tookMs } = await timed("203.0.113.4");
      expect(verdict).toBe("unavailable");
      expect(tookMs).toBeLessThan(1_000);
      garbage.close();
    });

    it("that dies between the two questions opens nothing", async () => {
      const half = await startDnsServer({ names: { "203.0.113.5": ["c5.demo.test"] }, addresses: {} });
      const relay = createSocket("udp4").bind(0, "127.0.0.1");
      await once(relay, "listening");
      const [, upstreamPort] = half.address.split(":");
      let client: { port: number; address: string } | undefined;
      let questions = 0;
      relay.on("message", (message, from) => {
        if (from.port === Number(upstreamPort)) return relay.send(message, client?.port, client?.address);
        client = from;
        questions += 1;
        if (questions === 1) relay.send(message, Number(upstreamPort), "127.0.0.1");
      });
      process.env.DNS_SERVERS = `127.0.0.1:${relay.address().port}`;
      const { verdict, tookMs } = await timed("203.0.113.5");
      expect(questions).toBeGreaterThan(1);
      expect(verdict).toBe("unavailable");
      expect(tookMs).toBeLessThan(1_000);
      relay.close();
      await half.stop();
    });
  });
});
