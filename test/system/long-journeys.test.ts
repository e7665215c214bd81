import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { givenWallet } from "../harness/given-cards.ts";
import { demoProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { Narrator } from "../tools/demo/narrator.ts";
import { startDemoReceiver } from "../tools/demo/receiver.ts";
import { tellStory } from "../tools/demo/story.ts";
import { smoke } from "../tools/smoke/smoke.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

describe("journeys over mutual TLS", () => {
  let given: GivenPlatform;
  let platform: Platform;
  let program: LiveProgram;

  beforeAll(async () => {
    given = await givenPlatform();
    platform = given.platform;
    program = demoProgram(given.connection);
  });
  afterAll(async () => {
    await program?.close();
    await given?.stop();
  });

  it("the smoke test that every deployment has to pass, and its reading half alone in production", async () => {
    const { sandboxUrl: _, ...production } = platform.connection;
    const read = await smoke(production, () => undefined);
    expect(read).toBeGreaterThan(10);
    expect(await smoke(platform.connection, () => undefined)).toBeGreaterThan(read + 10);
    const wrong = { ...platform.connection, programApiKey: platform.connection.tenantApiKey };
    await expect(smoke(wrong, () => undefined)).rejects.toThrow("expected");
  });

  it("of 100 transfers at once from a Wallet that can pay 60, exactly 60 are approved", async () => {
    const [source, destination] = await Promise.all([givenWallet(program, 6_000), givenWallet(program, 0)]);
    const body = { sourceWalletId: source, destinationType: 0, destinationId: destination, amount: 100 };
    // Starts functions beforehand: all at once would slow DNS beyond the authorizer's timeout.
    await vi.waitFor(
      async () => {
        const reads = await Promise.all(Array.from({ length: 100 }, () => program.call("GET /wallets")));
        expect(reads.filter(({ status }) => status !== 200)).toEqual([]);
      },
      { timeout: 60_000, interval: 100 },
    );
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => program.call("POST /wallets/transfer", { body })),
    );
    const statuses = answers.map((answer) => answer.body.data?.transStatus);
    expect(statuses.filter((status) => status === 1)).toHaveLength(60);
    expect(statuses.filter((status) => status === 2)).toHaveLength(40);
    const wallet = async (walletId: string) =>
      (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;
    expect([await wallet(source), await wallet(destination)]).toEqual([0, 6_000]);
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
    expect(lines.join("\n")).toContain("no receiver is running");
    expect(lines.findLast((line) => line.includes("Card  "))).toMatch(/available +536\.50 USD/);
    const words = ["infra/commands/audit.ts", join(dirname(given.connection.ca), "..", "connection.json")];
    const { stdout } = await promisify(execFile)(process.execPath, words);
    expect(stdout).toContain("The books are in order.");
  });
});
