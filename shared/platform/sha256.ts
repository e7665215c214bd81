import { createHash } from "node:crypto";

/** In lower-case hex. */
export function sha256(data: Uint8Array | string): string {
  return createHash("sha256").update(data).digest("hex");
}
