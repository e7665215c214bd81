import { Resolver } from "node:dns/promises";
import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Fault } from "../../contract/errors.ts";
import { environment } from "../environment.ts";

/** A checked URL and address. Connections go to this very address, without another DNS look-up. */
export interface Receiver {
  readonly url: URL;
  readonly address: string;
  /** A receiver on loopback, local only: plain HTTP and any certificate are accepted. */
  readonly isLocal: boolean;
}

/** Why a URL cannot receive callbacks, with the message for its owner. */
const urlFaults = {
  NOT_A_URL: "must be an absolute URL",
  NOT_HTTPS: "must be an https URL",
  HAS_CREDENTIALS: "must not contain credentials",
  HAS_FRAGMENT: "must not contain a fragment",
  PORT_NOT_ALLOWED: "must use port 443 or 8443",
  IP_LITERAL: "must name a host, not an IP address",
  HOST_NOT_PUBLIC: "must name a public host",
  ADDRESS_NOT_PUBLIC: "must name a host with public addresses",
} as const;
type UrlFault = keyof typeof urlFaults;

/**
 * Checks the URL, then every address that DNS returns for its host now. One non-public address
 * rejects the name.
 */
export async function findReceiver(
  text: string,
): Promise<Receiver | { readonly fault: UrlFault | "NAME_NOT_RESOLVED" }> {
  const parsed = parseReceiverUrl(text, environment.allowedReceivers);
  if ("fault" in parsed) return parsed;
  const { url, isAllowedOrigin } = parsed;
  if (isAllowedOrigin) {
    const address = url.hostname === "localhost" ? "127.0.0.1" : url.hostname.replace(/^\[|\]$/g, "");
    return isLoopbackAddress(address) ? { url, address, isLocal: true } : { fault: "ADDRESS_NOT_PUBLIC" };
  }
  const addresses = await resolve(url.hostname);
  const [address] = addresses;
  if (address === undefined) return { fault: "NAME_NOT_RESOLVED" };
  if (!addresses.every(isPublicAddress)) return { fault: "ADDRESS_NOT_PUBLIC" };
  return { url, address, isLocal: false };
}

/**
 * Why a URL cannot be registered, as a fault at `path`. An unknown name is accepted: it may exist
 * later, and every send checks again.
 */
export async function receiverFault(url: string, path: string): Promise<Fault | undefined> {
  const found = await findReceiver(url);
  if (!("fault" in found) || found.fault === "NAME_NOT_RESOLVED") return undefined;
  const origins = environment.allowedReceivers;
  const local = origins.length === 0 ? "" : `, or begin with one of LOCAL_RECEIVERS: ${origins.join(", ")}`;
  return { path, code: found.fault.toLowerCase(), message: urlFaults[found.fault] + local };
}

const maximumLength = 2048;
const allowedPorts = new Set(["", "8443"]);
/** Domains that are never public, with their subdomains. */
const specialNames =
  /(^|\.)(localhost|local|localdomain|internal|intranet|home|lan|corp|arpa|onion|invalid)$/;
const hostName = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Checks a URL before DNS. The URL parser normalizes every spelling (decimal, hexadecimal, octal,
 * short, full-width, percent-encoded), and connections use that form. `allowedOrigins` pass.
 */
export function parseReceiverUrl(
  text: string,
  allowedOrigins: readonly string[],
): { readonly url: URL; readonly isAllowedOrigin: boolean } | { readonly fault: UrlFault } {
  const url = parse(text);
  if (!url) return { fault: "NOT_A_URL" };
  if (url.username !== "" || url.password !== "") return { fault: "HAS_CREDENTIALS" };
  if (url.hash !== "") return { fault: "HAS_FRAGMENT" };
  if (allowedOrigins.includes(url.origin)) return { url, isAllowedOrigin: true };
  if (url.protocol !== "https:") return { fault: "NOT_HTTPS" };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return { fault: "IP_LITERAL" };
  if (!hostName.test(host) || specialNames.test(host) || host.length > 253)
    return { fault: "HOST_NOT_PUBLIC" };
  if (!allowedPorts.has(url.port)) return { fault: "PORT_NOT_ALLOWED" };
  return { url, isAllowedOrigin: false };
}

/** Rejects what the parser drops or converts: white space, control characters, backslashes. */
function parse(text: string): URL | undefined {
  if (text.length > maximumLength || /[\s\p{Cc}\\]/u.test(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text))
    return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}

const globalUnicast: [ipaddr.IPv6, number] = [ipaddr.IPv6.parse("2000::"), 3];

/**
 * Not public: loopback, private, link-local (cloud metadata), carrier-grade NAT, documentation,
 * multicast, and every IPv6 form that carries an IPv4 address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== "unicast") return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalUnicast);
}

export function isLoopbackAddress(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.parse(address).range() === "loopback";
}

const queryTimeoutMs = 1_000;
const deadlineMs = 2_500;

/** IPv4 first, in bounded time; empty if DNS has no address or does not answer. */
async function resolve(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  const servers = environment.dnsServers;
  if (servers.length > 0) resolver.setServers(servers);
  // A chain of answers that never ends would outlast the timeouts of its queries.
  AbortSignal.timeout(deadlineMs).addEventListener("abort", () => resolver.cancel(), { once: true });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}
