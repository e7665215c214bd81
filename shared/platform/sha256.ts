import { hash } from "node:crypto";

/** In lower-case hex. */
export function sha256(data: Uint8Array | string): string {
  return hash("sha256", data);
}
