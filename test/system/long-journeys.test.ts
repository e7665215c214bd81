import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createApp } from "../../infra/app.ts";
import type { Platform } from "../../infra/development/platform.ts";
import { startReceiver } from "../harness/receiver.ts";
import { Narrator } from "../tools/demo/narrator.ts";
import { startDemoReceiver } from "../tools/demo/receiver.ts";
import { tellStory } from "../tools/demo/story.ts";
import { smoke } from "../tools/smoke/smoke.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** On the bundles that are deployed; other system tests run those of `npm start`. */
describe("long journeys over mutual TLS", () => {
  const assembly = mkdtempSync(join(tmpdir(), "deployed-"));
  let given: GivenPlatform;
  let platform: Platform;

  beforeAll(async () => {
    createApp(["local"], { outdir: assembly, checked: false }).synth();
    const { origin, stop } = await startReceiver();
    await stop();
    given = await givenPlatform({ receivers: [origin], assembly });
    platform = given.platform;
  });
  afterAll(async () => {
    await given?.stop();
    rmSync(assembly, { recursive: true, force: true });
  });

  it("the smoke test that every deployment has to pass, and its reading half alone in production", async () => {
    const { sandboxUrl: _, ...production } = platform.connection;
    const read = await smoke(production, () => undefined);
    expect(read).toBeGreaterThan(10);
    expect(await smoke(platform.connection, () => undefined)).toBeGreaterThan(read + 10);
    const wrong = { ...platform.connection, programApiKey: platform.connection.tenantApiKey };
    await expect(smoke(wrong, () => undefined)).rejects.toThrow("expected");
  });

  it("the demo runs to its end without a receiver, and leaves the books in order", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    const connection = { ...platform.connection, receivers: [] };
    try {
      const receiver = await startDemoReceiver(connection);
      await tellStory(new Narrator(), connection, receiver);
    } finally {
      vi.restoreAllMocks();
    }
    const told = lines.join("\n");
    expect(told).toContain("no receiver is running");
    expect(told).toContain("SPEND_LIMIT: 5.00 USD of the limit are left\n    the Wallet holds 25.00 USD");
    expect(told).toContain("20.00 USD come by themselves: available 23.00 USD");
    expect(lines.findLast((line) => line.includes("Card  "))).toMatch(/available +476\.50 USD/);
    const { stdout } = await given.run("audit");
    expect(stdout).toContain("The books are in order.");
  });

  it("the demo runs to its end, and its balances add up", async () => {
    const lines: string[] = [];
    vi.spyOn(console, "log").mockImplementation((line: string) => void lines.push(line));
    const receiver = await startDemoReceiver(platform.connection);
    try {
      await tellStory(new Narrator(), platform.connection, receiver);
    } finally {
      receiver?.stop();
      vi.restoreAllMocks();
    }
    // What the receiver and the stand-in approved stays held, 3.00 and 4.00, and a kiosk's 7.00.
    expect(lines.findLast((line) => line.includes("Card  "))).toMatch(
      /available +462\.50 USD +ledger +476\.50 USD/,
    );
    const told = lines.join("\n");
    expect(told).toMatch(/only its key opens\n +bat_\w+\n +Ada Lovelace, number ending in \d{4}/);
    expect(told).toContain("shipping shipped, DHL");
    expect(told).toMatch(/0110, DE39 00, approval code \w{6}\n/);
    expect(told).toContain("applied: 1 record");
    expect(told).toContain("approved by receiver");
    expect(told).toContain("the webhook of the hold comes in, its signature verified");
    expect(told).toMatch(/the callback comes in: which Card, and never the code\n +\{"cardId":"crd_/);
    expect(told).toContain("CERTIFICATE_EXPIRY, DaysRemaining 30");
  });
});
