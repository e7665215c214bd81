import { promises as dns } from "node:dns";
import { isIP, isIPv4 } from "node:net";
import { isSharedDomain } from "../../../shared/tenancy/certificates/shared-domain.ts";

/** The first caller's address, and the domain in its certificate. */
export interface Caller {
  readonly address: string;
  /** The address's confirmed name in DNS, or a parent of it. */
  readonly domain: string;
}

export interface CallerOptions {
  readonly address: string | undefined;
  readonly domain: string | undefined;
}

/** Returns the caller's address. The platform's hosts accept IPv4 only. */
const addressService = "https://checkip.amazonaws.com";
const patience = { timeout: 2_000, tries: 2 };

/**
 * Returns the caller of the options, by default this machine's public address. The platform
 * requires a DNS name that resolves back to the address. Throws an Error with the option to use.
 */
export async function findCaller(options: CallerOptions): Promise<Caller> {
  const address = options.address ?? (await ownAddress());
  if (isIP(address) === 0) throw new Error(`--caller is "${address}"; it must be an IP address.`);
  const domain = options.domain ?? (await confirmedName(address));
  if (domain === undefined) {
    throw new Error(
      `DNS has no name for ${address} that resolves back to it. The platform rejects callers without one.\n${instead}`,
    );
  }
  if (isSharedDomain(domain)) {
    throw new Error(
      `${domain} is a public suffix or a provider's shared domain. The platform issues certificates only for a caller's own domain.\n${instead}`,
    );
  }
  return { address, domain: domain.toLowerCase() };
}

const instead =
  "Deploy from a host with its own name, name another caller (--caller <address> --caller-domain <domain>), or deploy without one (--no-caller).";

async function ownAddress(): Promise<string> {
  try {
    const response = await fetch(addressService, { signal: AbortSignal.timeout(10_000) });
    return (await response.text()).trim();
  } catch (error) {
    throw new Error(`${addressService} did not return this machine's public address.\n${instead}`, {
      cause: error,
    });
  }
}

async function confirmedName(address: string): Promise<string | undefined> {
  const resolver = new dns.Resolver(patience);
  const none: string[] = [];
  const names = await resolver.reverse(address).catch(() => none);
  for (const name of names) {
    const forward = isIPv4(address) ? resolver.resolve4(name) : resolver.resolve6(name);
    if ((await forward.catch(() => none)).includes(address)) return name.replace(/\.$/, "");
  }
  return undefined;
}
