import type { ServiceCall } from "./requested.ts";

/** Who calls, and what for. */
export interface CheckedCall extends ServiceCall {
  readonly accessKeyId: string;
}

export interface ReadCall extends CheckedCall {
  /** What was received of it. */
  readonly length: number;
  /** What the engine gets. */
  readonly bytes: Buffer;
}

const largestHead = 64 * 1024;
export const headEnd = "\r\n\r\n";

/** Undefined until the call is complete. Throws for a body that does not state its length. */
export function readCall(received: Buffer): ReadCall | undefined {
  const headLength = received.indexOf(headEnd) + headEnd.length;
  if (headLength < headEnd.length) {
    if (received.length > largestHead) throw new Error("The head of a call is too large.");
    return undefined;
  }
  const head = received.toString("latin1", 0, headLength);
  const [requestLine = "", ...lines] = head.split("\r\n");
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  if (headers.has("transfer-encoding")) throw new Error(`A call states no length: ${requestLine}`);
  const length = headLength + Number(headers.get("content-length") ?? 0);
  if (received.length < length) return undefined;
  const [method = "", url = ""] = requestLine.split(" ");
  // Signatures are not verified: only this process knows the guard's address.
  const [, accessKeyId = ""] = /Credential=([^/]+)\//.exec(headers.get("authorization") ?? "") ?? [];
  const body = received.subarray(headLength, length);
  // An engine may separate data by access key.
  const anonymous = head.replace(`Credential=${accessKeyId}/`, "Credential=local/");
  return {
    accessKeyId,
    length,
    bytes: Buffer.concat([Buffer.from(anonymous, "latin1"), body]),
    method,
    path: url.split("?")[0] ?? "/",
    target: headers.get("x-amz-target"),
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
