import { Resolver } from "node:dns/promises";
import { BoundedMap } from "../../shared/platform/bounded-map.ts";
import { now, pause } from "../../shared/platform/clock.ts";
import { environment } from "../../shared/platform/environment.ts";
import { type IpAddress, parseAddress } from "../../shared/tenancy/allowlist/ip-allowlist.ts";

type DnsVerdict = "confirmed" | "unconfirmed" | "unavailable";

/**
 * Whether a name of the address lies under one of the certificate's domains and resolves back to
 * it. `recentlyConfirmed`: DNS does not answer now, but confirmed the name within ten minutes.
 */
export type NameVerdict = DnsVerdict | "recentlyConfirmed";

const deadlineMs = 800;
const queryTimeoutMs = 400;

/**
 * A confirmed name is checked again after a minute, so that a withdrawn one closes soon. The other
 * verdicts are kept briefly: a rejected caller cannot make every request wait for DNS.
 */
const keptForMs: Record<DnsVerdict, number> = { confirmed: 60_000, unconfirmed: 10_000, unavailable: 5_000 };

/** How long a confirmation stays valid while DNS does not answer. */
const outageGraceMs = 600_000;

interface CachedVerdict {
  readonly verdict: DnsVerdict;
  readonly untilMs: number;
  /** When DNS last confirmed the name; a negative answer clears it. */
  readonly confirmedAtMs: number | undefined;
}

/** Per process: a new process asks DNS. */
const verdicts = new BoundedMap<string, CachedVerdict>(1_000);

/** Forward-confirmed reverse DNS of `ip` against `domains`, in under a second. Never rejects. */
export async function nameVerdict(ip: string, domains: readonly string[]): Promise<NameVerdict> {
  const address = parseAddress(ip);
  if (!address) return "unconfirmed";
  const cacheKey = [address.toNormalizedString(), ...domains].join(" ");
  const cached = verdicts.get(cacheKey);
  if (cached && cached.untilMs > now().getTime()) return withGrace(cached);
  const verdict = await ask(address, domains);
  const answeredAtMs = now().getTime();
  const asked: CachedVerdict = {
    verdict,
    untilMs: answeredAtMs + keptForMs[verdict],
    confirmedAtMs: confirmation(verdict, answeredAtMs, cached),
  };
  verdicts.set(cacheKey, asked);
  return withGrace(asked);
}

function confirmation(verdict: DnsVerdict, answeredAtMs: number, before: CachedVerdict | undefined) {
  if (verdict === "confirmed") return answeredAtMs;
  return verdict === "unavailable" ? before?.confirmedAtMs : undefined;
}

function withGrace({ verdict, confirmedAtMs }: CachedVerdict): NameVerdict {
  if (verdict !== "unavailable" || confirmedAtMs === undefined) return verdict;
  return now().getTime() < confirmedAtMs + outageGraceMs ? "recentlyConfirmed" : verdict;
}

/**
 * One resolver per question, so that cancelling one leaves the others alone. Two tries, because a
 * busy machine may read an answer late; the deadline ends both.
 */
async function ask(address: IpAddress, domains: readonly string[]): Promise<DnsVerdict> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  const servers = environment.dnsServers;
  if (servers.length > 0) resolver.setServers(servers);
  const givenUp = pause(deadlineMs).then(() => "unavailable" as const);
  const verdict = await Promise.race([confirm(resolver, address, domains), givenUp]);
  resolver.cancel();
  return verdict;
}

async function confirm(
  resolver: Resolver,
  address: IpAddress,
  domains: readonly string[],
): Promise<DnsVerdict> {
  const names = await readRecords(resolver.resolvePtr(reverseName(address)));
  if (names === "unavailable") return "unavailable";
  const candidates = names
    .map((name) => name.toLowerCase())
    .filter((name) => isHostName(name) && domains.some((domain) => liesUnder(name, domain)));
  const verdicts = [...new Set(candidates)].map((name) => confirmForward(resolver, name, address));
  return (await anyConfirmed(verdicts)) ?? decline(await Promise.all(verdicts));
}

/** As soon as one name confirms: others may never be answered. Undefined if none does. */
async function anyConfirmed(verdicts: readonly Promise<DnsVerdict>[]): Promise<"confirmed" | undefined> {
  const confirmed = verdicts.map(async (one) => {
    const verdict = await one;
    if (verdict !== "confirmed") throw new Error(verdict);
    return verdict;
  });
  return await Promise.any(confirmed).catch(() => undefined);
}

function decline(verdicts: readonly DnsVerdict[]): DnsVerdict {
  return verdicts.includes("unavailable") ? "unavailable" : "unconfirmed";
}

async function confirmForward(resolver: Resolver, name: string, address: IpAddress): Promise<DnsVerdict> {
  const query = address.kind() === "ipv4" ? resolver.resolve4(name) : resolver.resolve6(name);
  const addresses = await readRecords(query);
  if (addresses === "unavailable") return "unavailable";
  const wanted = address.toNormalizedString();
  const leadsBack = addresses.some((found) => parseAddress(found)?.toNormalizedString() === wanted);
  return leadsBack ? "confirmed" : "unconfirmed";
}

/** Empty if DNS says that there are no records. */
async function readRecords(query: Promise<string[]>): Promise<string[] | "unavailable"> {
  try {
    return await query;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOTFOUND" || code === "ENODATA" ? [] : "unavailable";
  }
}

/** A name in DNS may have an escaped dot or a space. */
function isHostName(name: string): boolean {
  return /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name);
}

/** Compares whole labels: `evildemo.test` does not lie under `demo.test`. */
function liesUnder(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}

/** The name below in-addr.arpa or ip6.arpa for the address's PTR records. */
function reverseName(address: IpAddress): string {
  const bytes = address.toByteArray().toReversed();
  if (address.kind() === "ipv4") return `${bytes.join(".")}.in-addr.arpa`;
  const nibbles = bytes.flatMap((byte) => [byte & 15, byte >> 4].map((nibble) => nibble.toString(16)));
  return `${nibbles.join(".")}.ip6.arpa`;
}
