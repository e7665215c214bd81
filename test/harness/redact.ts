import { idPrefixes } from "../../shared/contract/identifiers.ts";

const prefixes = Object.values(idPrefixes).join("|");
const identifier = new RegExp(`\\b(${prefixes})_([0-9A-HJKMNP-TV-Z]{26})\\b`, "g");
const wholeIdentifier = new RegExp(`^${identifier.source}$`);

export function isIdentifier(value: unknown): value is string {
  return typeof value === "string" && wholeIdentifier.test(value);
}

/** Stands for an OTP token, in whose form it is. */
export const redactedToken = "redacted".padEnd(43, "0");

/** Stands for a listener's id, which is the hash of its token. */
export const redactedListenerId = "0".repeat(64);

/** Members whose values are secret or differ with every recording, and their replacements. */
const replaced: Readonly<Record<string, unknown>> = {
  token: redactedToken,
  // The proof of an authentication.
  cavv: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
  // A one-time passcode.
  code: "000000",
  listenerId: redactedListenerId,
  "x-api-key": "redacted",
  csr: "-----BEGIN CERTIFICATE REQUEST-----\nredacted\n-----END CERTIFICATE REQUEST-----\n",
  clientCertPem: "-----BEGIN CERTIFICATE-----\nredacted\n-----END CERTIFICATE-----\n",
  serialNumber: "00",
  validity: { notBefore: "Jan  1 00:00:00 2026 GMT", notAfter: "Jan  1 00:00:00 2027 GMT" },
  host: "localhost",
  "content-length": "0",
  extendedRequestId: "AAAAAAAAAAAAAAA=",
  requestTime: "01/Jan/2026:00:00:00 +0000",
  requestTimeEpoch: 1_767_225_600_000,
  "x-amzn-trace-id": "Root=1-00000000-000000000000000000000000",
  AWSTraceHeader: "Root=1-00000000-000000000000000000000000;Sampled=0",
  "x-forwarded-port": "443",
  integrationLatency: 1,
  deploymentId: "deployed",
  resourceId: "resource",
  apiId: "api",
  messageId: "00000000-0000-4000-8000-000000000000",
  receiptHandle: "receipt",
  SentTimestamp: "1767225600000",
  ApproximateFirstReceiveTimestamp: "1767225600000",
  md5OfBody: "00000000000000000000000000000000",
  eventID: "1",
  SequenceNumber: "1",
  SizeBytes: 500,
  ApproximateCreationDateTime: 1_767_225_600,
  expiresAtSeconds: { N: "1767225600" },
  referenceCode: "R-1",
  cardToken: "redacted",
  // Of a device's key, and what is encrypted for one.
  x: redactedToken,
  y: redactedToken,
  jwe: "redacted..redacted.redacted.redacted",
  // What a phone's wallet gives an app, and what is encrypted for one.
  certificates: ["cmVkYWN0ZWQ=", "cmVkYWN0ZWQ="],
  nonce: "9c023092",
  nonceSignature: "4082f883",
  encryptedPassData: "cmVkYWN0ZWQ=",
  activationData: "cmVkYWN0ZWQ=",
  ephemeralPublicKey: "cmVkYWN0ZWQ=",
  opaquePaymentCard: "redacted.redacted.redacted.redacted.redacted",
  maskedCardNumber: "400000******0000",
  // What is printed on a card is drawn at random.
  lastFour: "0000",
  expiryMonth: 1,
  expiryYear: 2030,
};

/** Values that differ with every recording, in any member. */
const patterns: readonly (readonly [RegExp, string])[] = [
  [/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z/g, "2026-01-01T00:00:00.000Z"],
  [
    /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g,
    "00000000-0000-4000-8000-000000000000",
  ],
  [/http:\/\/127\.0\.0\.1:\d+(?=\/v2\/(connections|kyc)\/)/g, "https://webhooks.issuing.example"],
  [/(\/otp\/listeners\/)[0-9a-f]{64}/g, `$1${redactedListenerId}`],
  [/(\/otp\/(?:challenges\/)?)[A-Za-z0-9_-]{43}/g, `$1${redactedToken}`],
  [/(arn:aws:execute-api:[^:]+:\d+):[a-z0-9]+/g, "$1:api"],
];

/**
 * Removes secrets, and numbers the identifiers of each kind, so that a request is always recorded
 * the same.
 */
export function redact(event: unknown): unknown {
  const text = JSON.stringify(replaceMembers(event));
  return JSON.parse(
    numberIdentifiers(patterns.reduce((all, [pattern, stable]) => all.replace(pattern, stable), text)),
  );
}

/** Members of answers and notifications that are secret or differ with every recording. */
const replacedInAnswers: Readonly<Record<string, unknown>> = {
  apiKey: "redacted",
  secret: "whsec_cmVkYWN0ZWQ=",
  certificate: "-----BEGIN CERTIFICATE-----\nredacted\n-----END CERTIFICATE-----\n",
  CertSerialNumber: "00",
  fingerprint: "0".repeat(64),
  bodySha256: "0".repeat(64),
  latencyMs: 12,
  address: "redacted",
  extendedPublicKeys: { bitcoin: "xpub-redacted", ethereum: "xpub-redacted", tron: "xpub-redacted" },
  CardToken: "redacted",
  cardnum: "400000******0000",
  Url: "https://hooks.example.com/card-events",
  url: "https://hooks.example.com/card-events",
  webhookHost: "hooks.example.com",
  uploadUrl: "https://evidence.s3.eu-west-1.amazonaws.com/uploads/redacted",
  downloadUrl: "https://evidence.s3.eu-west-1.amazonaws.com/evidence/redacted",
  kycUrl: "https://kyc.example.com/sessions/redacted",
};

/** Drawn or timed digits in notifications: a number in one layer, a text in another. */
const digits =
  /^(?:trace|authId|unique_row_id|TransId_Issuer|cif|account|acctCif|acctnum|(?:txn|pos|h|e)time)$/;

/** The same for the body of an answer or a notification. The codes of errors stay. */
export function redactAnswer(body: unknown, kind: "success" | "error"): unknown {
  const known = kind === "error" ? body : replaceMembers(replaceIn(body));
  return JSON.parse(redactText(JSON.stringify(known)));
}

/** The same for a document. */
export function redactText(text: string): string {
  return numberIdentifiers(
    [...patterns, ...answerPatterns].reduce((all, [pattern, stable]) => all.replace(pattern, stable), text),
  );
}

/** Days, and identifiers without their prefix. */
const answerPatterns: typeof patterns = [
  [/\b20\d\d-\d\d-\d\d\b/g, "2026-01-01"],
  [/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, "1".padStart(26, "0")],
  // Of a camt.053 message, and of an input file.
  [/\b[0-9a-f]{35}\b/g, "0".repeat(35)],
  [/\b23Q[0-9A-Z]{17}\b/g, "23Q".padEnd(20, "0")],
  [/\b400000\*{6}\d{4}\b/g, "400000******0000"],
];

function replaceIn(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body), (name, member) => {
    if (name === "before" || name === "after") return inOrder(member);
    if (digits.test(name)) return typeof member === "number" ? 120_000 : "120000";
    const redacted = replacedInAnswers[name];
    return redacted !== undefined && typeof member === typeof redacted ? redacted : member;
  });
}

/** The members of stored maps have no order. */
function inOrder(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const members = Object.entries(value).map(([name, member]) => [name, inOrder(member)] as const);
  return Object.fromEntries(members.toSorted(byName));
}

function replaceMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(replaceMembers);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, replaceMember(name, member)]),
  );
}

/** The attributes of a stream record and of its maps have no order. */
const unordered = new Set(["NewImage", "OldImage", "Keys", "M"]);

function byName([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function replaceMember(name: string, member: unknown): unknown {
  // A header's name comes in the client's case, and its values once alone and once as a list.
  const known = [name, name.toLowerCase()].find((one) => Object.hasOwn(replaced, one));
  // An identifier of ours stays one, whatever AWS calls by the same name.
  if (known !== undefined && !isIdentifier(member))
    return Array.isArray(member) ? [replaced[known]].flat() : replaced[known];
  if (name === "body" && typeof member === "string") return replaceInJson(member);
  const members = replaceMembers(member);
  return unordered.has(name)
    ? Object.fromEntries(Object.entries(members as object).toSorted(byName))
    : members;
}

/** A body is JSON in a string. One that is not JSON needs no redaction. */
function replaceInJson(text: string): string {
  try {
    return JSON.stringify(replaceMembers(JSON.parse(text)));
  } catch {
    return text;
  }
}

function numberIdentifiers(text: string): string {
  const numbered = new Map<string, string>();
  const counts = new Map<string, number>();
  return text.replace(identifier, (id, prefix: string, ulid: string) => {
    // The well-formed unknown id is the same in every recording.
    if (ulid.startsWith("0000000000")) return id;
    const known = numbered.get(id);
    if (known) return known;
    const count = (counts.get(prefix) ?? 0) + 1;
    counts.set(prefix, count);
    const stable = `${prefix}_${String(count).padStart(26, "0")}`;
    numbered.set(id, stable);
    return stable;
  });
}
