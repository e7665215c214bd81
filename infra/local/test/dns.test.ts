import { Resolver } from "node:dns/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DnsServer, startDnsServer } from "../dns.ts";

describe("the DNS server", () => {
  let server: DnsServer;
  let resolver: Resolver;

  function resolverThatWaits(timeout: number): Resolver {
    const made = new Resolver({ timeout, tries: 1 });
    made.setServers([server.address]);
    return made;
  }

  beforeAll(async () => {
    server = await startDnsServer({
      addresses: { "client.demo.test": ["127.0.0.1", "::1"], "v6.example.test": ["2001:db8::8:1"] },
      names: {
        "127.0.0.1": ["client.demo.test"],
        "::1": ["client.demo.test"],
        "2001:db8::8:1": ["v6.example.test"],
      },
    });
    resolver = resolverThatWaits(30_000);
  });
  afterAll(() => server.stop());

  it("names loopback in both families", async () => {
    const nibbles = (digits: string) => `${[...digits].reverse().join(".")}.ip6.arpa`;
    // reverse() would ask the hosts file first.
    expect(await resolver.resolvePtr("1.0.0.127.in-addr.arpa")).toEqual(["client.demo.test"]);
    expect(await resolver.resolvePtr(nibbles(`${"0".repeat(31)}1`))).toEqual(["client.demo.test"]);
    expect(await resolver.resolvePtr(nibbles("20010db8000000000000000000080001"))).toEqual([
      "v6.example.test",
    ]);
  });

  it("resolves the name back to each address, whatever its case", async () => {
    expect(await resolver.resolve4("Client.Demo.test")).toEqual(["127.0.0.1"]);
    expect(await resolver.resolve6("client.demo.test")).toEqual(["::1"]);
  });

  it("has no name for 127.0.0.3 and no other name", async () => {
    await expect(resolver.resolvePtr("3.0.0.127.in-addr.arpa")).rejects.toMatchObject({ code: "ENOTFOUND" });
    await expect(resolver.resolve4("example.test")).rejects.toMatchObject({ code: "ENOTFOUND" });
  });

  it("distinguishes a missing record type from a missing name", async () => {
    await expect(resolver.resolve4("v6.example.test")).rejects.toMatchObject({ code: "ENODATA" });
  });

  it("does not answer while it is silenced", async () => {
    server.setAnswering(false);
    await expect(resolverThatWaits(200).resolvePtr("1.0.0.127.in-addr.arpa")).rejects.toMatchObject({
      code: "ETIMEOUT",
    });
    server.setAnswering(true);
    expect(await resolver.resolve4("client.demo.test")).toEqual(["127.0.0.1"]);
  });
});
