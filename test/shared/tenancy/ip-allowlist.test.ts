import { describe, expect, it } from "vitest";
import {
  type AllowedRange,
  allowedFor,
  canonicalCidr,
} from "../../../shared/tenancy/allowlist/ip-allowlist.ts";

const programId = "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B";

const range = (cidr: string, of?: string): AllowedRange => ({
  ...(of && { programId: of }),
  cidr: canonicalCidr(cidr),
});
const isAllowed = (ip: string, ...cidrs: string[]) =>
  allowedFor(
    ip,
    cidrs.map((cidr) => range(cidr)),
  ).tenant;

describe("the IP allowlist", () => {
  it.each([
    ["192.0.2.1", "192.0.2.1/32"],
    ["192.0.2.255", "192.0.2.0/24"],
    ["2001:db8::1", "2001:db8::/32"],
    ["2001:0DB8:0:0:0:0:0:1", "2001:db8::1/128"],
    ["::1", "::1/128"],
    ["::ffff:192.0.2.1", "192.0.2.1/32"],
    ["::ffff:c000:201", "192.0.2.1/32"],
    ["192.0.2.1", "::ffff:192.0.2.0/120"],
  ])("lets %s in by %s", (ip, cidr) => {
    expect(isAllowed(ip, cidr)).toBe(true);
  });

  it.each([
    ["192.0.2.2", "192.0.2.1/32"],
    ["192.0.3.0", "192.0.2.0/24"],
    ["2001:db9::1", "2001:db8::/32"],
    ["192.0.2.1", "::/0"],
    ["::ffff:192.0.2.1", "::/0"],
    ["::ffff:192.0.2.1", "::ffff:0:0/95"],
    ["2001:db8::1", "0.0.0.0/0"],
    ["::192.0.2.1", "192.0.2.1/32"],
    ["64:ff9b::192.0.2.1", "192.0.2.1/32"],
    ["0x7f.1", "0.0.0.0/0"],
    ["0177.0.0.1", "0.0.0.0/0"],
    ["", "0.0.0.0/0"],
    ["unknown", "0.0.0.0/0"],
    ["192.0.2.1, 203.0.113.1", "192.0.2.1/32"],
  ])("keeps %s out of %s", (ip, cidr) => {
    expect(isAllowed(ip, cidr)).toBe(false);
  });

  it("keeps everyone out while it is empty", () => {
    expect(allowedFor("192.0.2.1", [])).toEqual({ tenant: false, programIds: new Set() });
  });

  it("says whom a range is for: the Tenant, or Programs only", () => {
    const ranges = [range("192.0.2.0/24", programId), range("192.0.2.7/32")];
    expect(allowedFor("192.0.2.1", ranges)).toEqual({ tenant: false, programIds: new Set([programId]) });
    expect(allowedFor("192.0.2.7", ranges)).toEqual({ tenant: true, programIds: new Set([programId]) });
  });
});

describe("the canonical form of a range", () => {
  it.each([
    ["192.0.2.77/24", "192.0.2.0/24"],
    ["192.0.2.1/32", "192.0.2.1/32"],
    ["2001:0DB8:0:0::1/64", "2001:db8::/64"],
    ["0:0:0:0:0:0:0:1/128", "::1/128"],
    ["::ffff:192.0.2.77/120", "192.0.2.0/24"],
    ["::ffff:0:0/96", "0.0.0.0/0"],
    ["::/0", "::/0"],
  ])("of %s is %s", (given, canonical) => {
    expect(canonicalCidr(given)).toBe(canonical);
  });
});
