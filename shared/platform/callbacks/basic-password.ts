import { timingSafeEqual } from "node:crypto";
import { sha256 } from "../sha256.ts";

/** Whether an `Authorization` header has these Basic credentials. Takes as long for all others. */
export function hasBasicPassword(header: string | undefined, user: string, password: string): boolean {
  const [scheme = "", given = ""] = (header ?? "").split(" ");
  const expected = Buffer.from(`${user}:${password}`).toString("base64");
  const isEqual = timingSafeEqual(Buffer.from(sha256(given)), Buffer.from(sha256(expected)));
  return scheme.toLowerCase() === "basic" && isEqual;
}
