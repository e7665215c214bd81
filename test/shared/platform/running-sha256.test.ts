import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { RunningSha256 } from "../../../shared/platform/running-sha256.ts";
import { sha256 } from "../../../shared/platform/sha256.ts";

it("is the hash of all that was added, however it is parted, stored and read again", () => {
  for (let bytes = 0; bytes < 200; bytes += 1) {
    const data = randomBytes(bytes);
    let running = new RunningSha256();
    for (let at = 0; at < bytes; at += 37) {
      running.add(data.subarray(at, at + 37));
      running = new RunningSha256(JSON.parse(JSON.stringify(running.state)));
    }
    expect(running.digest()).toBe(sha256(data));
  }
});

it("goes on after its hash was read", () => {
  const running = new RunningSha256();
  running.add(Buffer.from("ab"));
  expect(running.digest()).toBe(sha256("ab"));
  running.add(Buffer.from("c"));
  expect(running.digest()).toBe(sha256("abc"));
});
