import { parse } from "tldts";

/**
 * Domains in which hosting providers name the addresses of all their customers. The public suffix
 * list has some of the suffixes below them, and not them.
 */
const providerDomains: readonly string[] = [
  "aliyuncs.com",
  "amazonaws.com",
  "amazonaws.com.cn",
  "azure.com",
  "azure.net",
  "contabo.net",
  "contaboserver.net",
  "digitalocean.com",
  "googleusercontent.com",
  "hetzner.cloud",
  "hetzner.com",
  "linode.com",
  "linodeusercontent.com",
  "on.aws",
  "oraclecloud.com",
  "oraclevcn.com",
  "ovh.ca",
  "ovh.net",
  "ovh.us",
  "rackspace.com",
  "scw.cloud",
  "vultr.com",
  "vultrusercontent.com",
  "windows.net",
  "your-server.de",
];

/**
 * A public suffix (`co.uk`, `herokuapp.com`) or a hosting provider's domain: a certificate for it
 * would admit any customer of that provider. Source: publicsuffix.org, private part included.
 */
export function isSharedDomain(name: string): boolean {
  const { domain, isPrivate } = parse(name, { allowPrivateDomains: true });
  if (domain === null) return true;
  return !isPrivate && providerDomains.includes(domain);
}
