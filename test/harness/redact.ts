import { idPrefixes } from "../../shared/contract/primitives.ts";

const prefixes = Object.values(idPrefixes).join("|");
const identifier = new RegExp(`\\b(${prefixes})_([0-9A-HJKMNP-TV-Z]{26})\\b`, "g");
const wholeIdentifier = new RegExp(`^${identifier.source}$`);

export function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && wholeIdentifier.test(value);
}

/** Members whose values are secrets or differ with every recording, and what stands for them. */
const replaced: Readonly<Record<string, unknown>> = {
  "x-api-key": "redacted",
  clientCertPem: "-----BEGIN CERTIFICATE-----\nredacted\n-----END CERTIFICATE-----\n",
  serialNumber: "00",
  validity: { notBefore: "Jan  1 00:00:00 2026 GMT", notAfter: "Jan  1 00:00:00 2027 GMT" },
  host: "localhost",
  "content-length": "0",
  requestId: "00000000-0000-4000-8000-000000000000",
  extendedRequestId: "AAAAAAAAAAAAAAA=",
  requestTime: "01/Jan/2026:00:00:00 +0000",
  requestTimeEpoch: 1_767_225_600_000,
  deploymentId: "deployed",
  resourceId: "resource",
  apiId: "api",
  // What is printed on a card is drawn at random.
  lastFour: "0000",
  expiryMonth: 1,
  expiryYear: 2030,
};

/**
 * An event that can be committed: without secrets, and the same each time that the same request is recorded. Identifiers become the first,
 * second, … of their kind.
 */
export function redact(event: unknown): unknown {
  return numberIdentifiers(replaceMembers(event));
}

function replaceMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceMember(name, member)]),
  );
}

function replaceMember(name: string, member: unknown): unknown {
  const known = Object.keys(replaced).find((one) => one.toLowerCase() === name.toLowerCase());
  // The gateway hands headers over as single values and as lists.
  if (known !== undefined) return Array.isArray(member) ? [replaced[known]] : replaced[known];
  if (name === "body" && typeof member === "string") return replaceInJson(member);
  return replaceMembers(member);
}

/** A body is JSON within a string; one that is not JSON holds nothing of ours. */
function replaceInJson(text: string): string {
  try {
    return JSON.stringify(replaceMembers(JSON.parse(text)));
  } catch {
    return text;
  }
}

function numberIdentifiers(event: unknown): unknown {
  const numbered = new Map<string, string>();
  const counts = new Map<string, number>();
  const text = JSON.stringify(event).replace(identifier, (id, prefix: string, ulid: string) => {
    // Well formed and nobody's: it is the same in every recording.
    if (ulid.startsWith("0000000000")) return id;
    const known = numbered.get(id);
    if (known) return known;
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const stable = `${prefix}_${String(count).padStart(26, "0")}`;
    numbered.set(id, stable);
    return stable;
  });
  return JSON.parse(text);
}
