import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import * as z from "zod";
import { id, timestamp } from "../../contract/primitives.ts";
import { BoundedMap } from "../../platform/bounded-map.ts";
import { defineEntity } from "../../platform/table/entity.ts";
import type { StoredItem } from "../../platform/table/transact.ts";

const AllowedRange = z.object({
  programId: id("program").optional(),
  /** In the form that `canonicalCidr` gives it. */
  cidr: z.string(),
});
export type AllowedRange = z.output<typeof AllowedRange>;

/** A range of addresses from which a Tenant may call: for all of its Programs, or for one. */
export const AllowedIp = AllowedRange.extend({
  entryId: id("allowedIp"),
  tenantId: id("tenant"),
  createdAt: timestamp,
  createdBy: z.string(),
});
export type AllowedIp = z.output<typeof AllowedIp>;

/** The whole Tenant, or these Programs only. */
export interface AllowedFor {
  readonly tenant: boolean;
  readonly programIds: ReadonlySet<string>;
}

export const allowedIps = defineEntity({
  name: "allowlist entry",
  table: "accounts",
  schema: AllowedIp,
  key: (tenantId: string, scope: string, cidr: string) => ({
    pk: `${tenantId}#ALLOWLIST`,
    sk: `${scope}#${cidr}`,
  }),
});

/** All ranges of a Tenant by their sort keys: the authorizer reads them with the credentials. */
export const rangeLists = defineEntity({
  name: "allowlist count",
  table: "accounts",
  // DynamoDB has no empty set.
  schema: z.object({ ranges: z.int(), allowed: z.set(z.string()).optional() }),
  key: (tenantId: string) => ({ pk: tenantId, sk: "ALLOWLIST_COUNT" }),
});

export function listedRanges(list: StoredItem): AllowedRange[] {
  const { allowed = new Set<string>() } = rangeLists.parse(list) ?? {};
  const read = ([scope, cidr = ""]: string[]) => (scope === "*" ? { cidr } : { programId: scope, cidr });
  return [...allowed].map((listed) => read(listed.split("#")));
}

/** IPv4-mapped IPv6 addresses match as IPv4. */
export function allowedFor(ip: string, ranges: readonly AllowedRange[]): AllowedFor {
  const address = parseAddress(ip);
  const matching = address ? ranges.filter((range) => contains(range.cidr, address)) : [];
  return {
    tenant: matching.some((range) => range.programId === undefined),
    programIds: new Set(matching.flatMap((range) => range.programId ?? [])),
  };
}

export type IpAddress = ipaddr.IPv4 | ipaddr.IPv6;

/** To parse one takes longer than to match it, and each request has the same again. */
const addresses = new BoundedMap<string, IpAddress>(1_000);
const networks = new BoundedMap<string, [IpAddress, number]>(1_000);

/**
 * The canonical form; IPv4 for IPv4-mapped IPv6. Undefined for anything else, although `ipaddr.js`
 * takes more: `0x7f.1`, and `::192.0.2.1` for `::ffff:192.0.2.1`.
 */
export function parseAddress(ip: string): IpAddress | undefined {
  if (isIP(ip) === 0 || /^::\d+\./.test(ip)) return undefined;
  return addresses.getOrMake(ip, () => ipaddr.process(ip));
}

function contains(cidr: string, address: IpAddress): boolean {
  const [network, prefixLength] = networks.getOrMake(cidr, () => ipaddr.parseCIDR(cidr));
  return network.kind() === address.kind() && address.match(network, prefixLength);
}

/**
 * Network address, RFC 5952 for IPv6, IPv4 if within IPv4-mapped IPv6, so that a repeated range is
 * one entry.
 */
export function canonicalCidr(cidr: string): string {
  const [address, prefixLength] = ipaddr.parseCIDR(cidr);
  if (address.kind() === "ipv4") {
    return `${ipaddr.IPv4.networkAddressFromCIDR(cidr).toString()}/${prefixLength}`;
  }
  const network = ipaddr.IPv6.networkAddressFromCIDR(cidr);
  if (network.isIPv4MappedAddress() && prefixLength >= 96) {
    return `${network.toIPv4Address().toString()}/${prefixLength - 96}`;
  }
  return `${network.toRFC5952String()}/${prefixLength}`;
}
