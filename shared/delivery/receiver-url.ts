import { isIP } from "node:net";

/** Why callbacks cannot go to a URL. */
export type UrlRefusal =
  | "NOT_A_URL"
  | "NOT_HTTPS"
  | "HAS_CREDENTIALS"
  | "HAS_FRAGMENT"
  | "PORT_NOT_ALLOWED"
  | "IP_LITERAL"
  | "HOST_NOT_PUBLIC";

/** What each refusal tells the caller. */
export const urlRefusals: Record<UrlRefusal, string> = {
  NOT_A_URL: "must be an absolute URL",
  NOT_HTTPS: "must be an https URL",
  HAS_CREDENTIALS: "must not contain credentials",
  HAS_FRAGMENT: "must not contain a fragment",
  PORT_NOT_ALLOWED: "must use port 443 or 8443",
  IP_LITERAL: "must name a host, not an IP address",
  HOST_NOT_PUBLIC: "must name a public host",
};

const maximumLength = 2048;
const allowedPorts = new Set(["", "8443"]);
/** Names that never lead to a public host, and whatever lies under them. */
const specialNames =
  /(^|\.)(localhost|local|localdomain|internal|intranet|home|lan|corp|arpa|onion|invalid)$/;
const hostName = /^([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$/;

/**
 * Checks the URL of a receiver as it is written, before any name is resolved: an IP literal, in whichever spelling, never reaches DNS. The URL
 * parser makes one spelling of all (decimal, hexadecimal, octal, short, full-width, percent-encoded), which is what is judged here and
 * connected to later. `allowedOrigins` are let through as they are: the local environment's own receivers.
 */
export function parseReceiverUrl(
  text: string,
  allowedOrigins: readonly string[],
): { readonly url: URL; readonly isAllowedOrigin: boolean } | { readonly refusal: UrlRefusal } {
  const url = parse(text);
  if (!url) return { refusal: "NOT_A_URL" };
  if (url.username !== "" || url.password !== "") return { refusal: "HAS_CREDENTIALS" };
  if (url.hash !== "") return { refusal: "HAS_FRAGMENT" };
  if (allowedOrigins.includes(url.origin)) return { url, isAllowedOrigin: true };
  if (url.protocol !== "https:") return { refusal: "NOT_HTTPS" };
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0) return { refusal: "IP_LITERAL" };
  if (!hostName.test(host) || specialNames.test(host) || host.length > 253)
    return { refusal: "HOST_NOT_PUBLIC" };
  if (!allowedPorts.has(url.port)) return { refusal: "PORT_NOT_ALLOWED" };
  return { url, isAllowedOrigin: false };
}

/** What the parser would silently drop or turn round (white space, control characters, backslashes) is refused instead. */
function parse(text: string): URL | undefined {
  if (text.length > maximumLength || /[\s\p{Cc}\\]/u.test(text) || !/^[a-z][a-z0-9+.-]*:\/\/[^/]/i.test(text))
    return undefined;
  return URL.canParse(text) ? new URL(text) : undefined;
}
