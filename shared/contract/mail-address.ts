import * as z from "zod";

/** RFC 5321 has these limits, in octets. */
const longest = { whole: 254, local: 64, label: 63 };

const atom = "(?:[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]|[^\\p{ASCII}\\p{C}\\p{Z}])+";
const dotted = new RegExp(`^${atom}(?:\\.${atom})*$`, "u");
const quoted = /^"(?:[ !#-[\]-~]|\\[ -~]|[^\p{ASCII}\p{C}\p{Z}])*"$/u;
/** Letters of any script, with the joiners that IDNA allows, digits and hyphens. */
const domainName = /^(?:[\p{L}\p{M}\p{N}.-]|\u200c|\u200d)+$/u;

/**
 * A mailbox by RFC 5321 and RFC 6531: atoms or a quoted text, at a domain name of any script. Not
 * at an address in brackets, where nobody has mail.
 */
export const mailAddress = z
  .string()
  .refine(isMailAddress, "must be a mail address")
  .meta({ format: "idn-email", maxLength: longest.whole });

/** One that SES sends to: in ASCII, a domain of another script as `xn--…` (SES, `Destination`). */
export const sentAddress = mailAddress
  .refine((address) => /^[!#-~]+$/.test(address), "must be in ASCII, without quotes and spaces")
  .meta({ format: "email", maxLength: longest.whole });

function isMailAddress(address: string): boolean {
  const at = address.lastIndexOf("@");
  const [local, domain] = [address.slice(0, at), address.slice(at + 1)];
  return (
    at > 0 &&
    octets(address) <= longest.whole &&
    octets(local) <= longest.local &&
    (dotted.test(local) || quoted.test(local)) &&
    isDomain(domain)
  );
}

function isDomain(domain: string): boolean {
  if (!domainName.test(domain)) return false;
  const labels = toAscii(domain)?.split(".") ?? [];
  const isLabel = (label: string) =>
    /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i.test(label) && label.length <= longest.label;
  // A top-level domain of digits would be an address of IPv4.
  return labels.length > 1 && labels.every(isLabel) && !/^\d+$/.test(labels.at(-1) ?? "");
}

function toAscii(domain: string): string | undefined {
  try {
    return new URL(`https://${domain}`).hostname;
  } catch {
    return undefined;
  }
}

function octets(value: string): number {
  return new TextEncoder().encode(value).length;
}
