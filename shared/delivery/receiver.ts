import { Resolver } from "node:dns/promises";
import { environment } from "../platform/environment.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";
import { parseReceiverUrl, type UrlRefusal } from "./receiver-url.ts";

const queryTimeoutMs = 1_000;
const deadlineMs = 2_500;

/** A receiver whose URL and address were checked. Connections go to this very address: nothing asks DNS again. */
export interface Receiver {
  readonly url: URL;
  readonly address: string;
  /** The local environment's own receiver, on loopback: plain HTTP and any certificate are let through. */
  readonly isLocal: boolean;
}

export type ReceiverRefusal = UrlRefusal | "ADDRESS_NOT_PUBLIC" | "NAME_NOT_RESOLVED";

/**
 * Checks where callbacks to a URL would go now: first the URL as it is written, then every address that DNS gives for its host. One that
 * is not public refuses the whole name.
 */
export async function findReceiver(text: string): Promise<Receiver | { readonly refusal: ReceiverRefusal }> {
  const parsed = parseReceiverUrl(text, environment.allowedReceivers);
  if ("refusal" in parsed) return parsed;
  const { url, isAllowedOrigin } = parsed;
  if (isAllowedOrigin) {
    const address = url.hostname === "localhost" ? "127.0.0.1" : url.hostname.replace(/^\[|\]$/g, "");
    return isLoopbackAddress(address) ? { url, address, isLocal: true } : { refusal: "ADDRESS_NOT_PUBLIC" };
  }
  const addresses = await resolve(url.hostname);
  const [address] = addresses;
  if (address === undefined) return { refusal: "NAME_NOT_RESOLVED" };
  if (!addresses.every(isPublicAddress)) return { refusal: "ADDRESS_NOT_PUBLIC" };
  return { url, address, isLocal: false };
}

/** All addresses of a name, IPv4 first, in bounded time; none where DNS has none or does not say. */
async function resolve(name: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: queryTimeoutMs, tries: 2 });
  const servers = environment.dnsServers;
  if (servers.length > 0) resolver.setServers(servers);
  // A chain of answers that never ends would outlast the timeouts of its queries.
  AbortSignal.timeout(deadlineMs).addEventListener("abort", () => resolver.cancel(), { once: true });
  const found = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  return found.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
}
