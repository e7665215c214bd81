import { describe, expect, it } from "vitest";
import { isLoopbackAddress, isPublicAddress } from "../../../../shared/platform/callbacks/receiver.ts";

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
