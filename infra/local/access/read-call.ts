import type { ServiceCall } from "./requested.ts";

/** Who calls, and what for. */
interface ReadCall extends ServiceCall {
  readonly accessKeyId: string;
  /** What was received of it. */
  readonly length: number;
  /** What the engine gets. */
  readonly bytes: Buffer;
}

const largestHead = 64 * 1024;
export const headEnd = "\r\n\r\n";

const chunked = /\r\ntransfer-encoding:/i;
const statedLength = /\r\ncontent-length: *(\d+)/i;
const signedBy = /\r\nauthorization: [^\r]*?Credential=([^/]+)\//i;
const named = /\r\nx-amz-target: *([^\r]*)/i;

/** Undefined until the call is complete. Throws for a body that does not state its length. */
export function readCall(received: Buffer): ReadCall | undefined {
  const headLength = received.indexOf(headEnd) + headEnd.length;
  if (headLength < headEnd.length) {
    if (received.length > largestHead) throw new Error("The head of a call is too large.");
    return undefined;
  }
  const head = received.toString("latin1", 0, headLength);
  const [method = "", url = ""] = head.slice(0, head.indexOf("\r\n")).split(" ");
  if (chunked.test(head)) throw new Error(`A call states no length: ${method} ${url}`);
  const length = headLength + Number(statedLength.exec(head)?.[1] ?? 0);
  if (received.length < length) return undefined;
  // Signatures are not verified: only this process knows the guard's address.
  const accessKeyId = signedBy.exec(head)?.[1] ?? "";
  const body = received.subarray(headLength, length);
  // An engine may separate data by access key.
  const anonymous = head.replace(`Credential=${accessKeyId}/`, "Credential=local/");
  return {
    accessKeyId,
    length,
    bytes: Buffer.concat([Buffer.from(anonymous, "latin1"), body]),
    method,
    path: url.split("?")[0] ?? "/",
    target: named.exec(head)?.[1],
    body: parsed(body),
  };
}

function parsed(body: Buffer): ServiceCall["body"] {
  try {
    const value: unknown = JSON.parse(body.toString());
    return typeof value === "object" && value !== null ? (value as ServiceCall["body"]) : {};
  } catch {
    return {};
  }
}
