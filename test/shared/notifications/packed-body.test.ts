import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { packBody, unpackBody } from "../../../shared/notifications/notification.ts";

const golden = new URL("golden/", import.meta.url);
const bodies = readdirSync(golden).map(
  (name) => [name, readFileSync(new URL(name, golden), "utf8")] as const,
);

describe("a packed body", () => {
  it.each(bodies)("of %s has less than 500 bytes, and unpacks to the same bytes", (_, body) => {
    const packed = packBody(body);
    expect(packed.length).toBeLessThan(500);
    expect(Buffer.from(unpackBody(packed)).equals(Buffer.from(body))).toBe(true);
  });

  it("that was changed is rejected", () => {
    const packed = Buffer.from(packBody("A purchase in Zürich"));
    packed[packed.length - 1] = (packed.at(-1) ?? 0) ^ 1;
    expect(() => unpackBody(packed)).toThrow();
  });
});
