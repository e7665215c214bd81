import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { connectionFile } from "../../infra/development/connection.ts";
import { type Platform, startPlatform } from "../../infra/development/platform.ts";
import { layoutFile } from "../../infra/development/prepare.ts";
import { startDynamo } from "../../infra/local/engines/dynamo.ts";
import { CardStatus } from "../../shared/contract/enums.ts";
import { routes } from "../../shared/contract/routes.ts";
import type { CaseRequest } from "../harness/cases/case.ts";
import { existingProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { readStoreFile, writeTables } from "../tools/upgrade/store-file.ts";

const store = readStoreFile(new URL("../tools/upgrade/store.gz", import.meta.url).pathname);

let directory: string;
let platform: Platform;
let program: LiveProgram;
beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), "upgrade-"));
  const engine = await startDynamo({ directory: join(directory, "dynamodb"), choice: "dynoxide" });
  await writeTables(engine.endpoint, store.tables).finally(() => engine.stop());
  const offsetMs = Math.max(0, store.recordedAt - Date.now());
  writeFileSync(join(directory, "clock.json"), JSON.stringify({ offsetMs }));
  writeFileSync(join(directory, "usage-keys.json"), store.usageKeys);
  writeFileSync(layoutFile(directory), String(store.layout));
  // So the start takes the recorded Tenant and Program for the demo's. Its keys are not recorded.
  const { tenantId, programId, walletId } = store;
  mkdirSync(join(directory, "demo"));
  const demo = { tenantId, programId, walletId, programApiKey: "unknown", tenantApiKey: "unknown" };
  writeFileSync(connectionFile(join(directory, "demo")), JSON.stringify(demo));
  platform = await startPlatform({ port: 0, directory, dynamodb: "dynoxide", receivers: [] });
  expect(platform.connection).toMatchObject({ tenantId, programId });
  program = await existingProgram(platform.connection, store);
  // On a busy machine DNS may be too slow for the authorizer, which then answers 503.
  const ready = async () => expect((await program.call("GET /cards")).status).toBe(200);
  await vi.waitFor(ready, { timeout: 60_000, interval: 1_000 });
});
afterAll(async () => {
  await program?.close();
  await platform?.stop();
  rmSync(directory, { recursive: true, force: true });
});

async function data(key: Parameters<LiveProgram["call"]>[0], options: CaseRequest = {}) {
  const { status, body } = await program.call(key, options);
  expect({ key, status, body: status === 200 ? undefined : body }).toEqual({ key, status: 200 });
  // biome-ignore lint/suspicious/noExplicitAny: a JSON body, which each test compares.
  return (body as any).data ?? body;
}

async function all(key: Parameters<LiveProgram["call"]>[0], query: Record<string, string> = {}) {
  const declared = routes.find(({ method, path }) => `${method} ${path}` === key);
  const page: Record<string, string> =
    declared?.query && "limit" in declared.query.shape ? { limit: "100" } : {};
  const { items } = await data(key, { query: { ...page, ...query } });
  expect(items.length).toBeGreaterThan(0);
  return items;
}

/** Runs a command on the platform. Rejects with its output if it finds a fault. */
const run = (script: string, ...words: string[]) =>
  promisify(execFile)(process.execPath, [`infra/commands/${script}.ts`, ...words]).catch((error) => {
    throw new Error(`${error.stdout}${error.stderr}`);
  });

async function expectBooksInOrder() {
  const file = connectionFile(directory);
  expect((await run("audit", file)).stdout).toContain("The books are in order.");
  expect((await run("lists", "check", file, store.programId)).stdout).not.toContain("differences");
}

describe("a store of the last release", () => {
  it("has books in order for this version, and right lists once they are rebuilt", async () => {
    expect((await run("audit", connectionFile(directory))).stdout).toContain("The books are in order.");
    await run("lists", "rebuild", connectionFile(directory), store.programId);
    await expectBooksInOrder();
  });

  it("is read: every list, and each of its records", async () => {
    const { cardId } = (await all("GET /cards"))[0];
    for (const { cardholderId } of await all("GET /cardholders")) {
      await data("GET /cardholders/{cardholderId}", { path: { cardholderId } });
    }
    for (const { cardId } of await all("GET /cards")) {
      await data("GET /cards/{cardId}", { path: { cardId } });
      await data("GET /cards/{cardId}/balance/proof", { path: { cardId } });
      await data("GET /cards/transactions", { query: { cardId, limit: "100" } });
      await data("GET /cards/fees", { query: { cardId, limit: "100" } });
    }
    for (const { walletId } of await all("GET /wallets")) {
      for (const list of ["transfers", "transactions", "balance/proof"]) {
        await data(`GET /wallets/{walletId}/${list}`, { path: { walletId } });
      }
    }
    for (const { controlId } of await all("GET /controls")) {
      const { used } = await data("GET /controls/{controlId}/usage", { path: { controlId } });
      const counted = await data("GET /controls/{controlId}/transactions", { path: { controlId } });
      const sum = counted.items.reduce((total: number, { amount }: { amount: number }) => total + amount, 0);
      if (counted.items.length < 20) expect(sum).toBe(used.amount);
    }
    for (const { transIdSc } of await all("GET /webhooks/events")) {
      await data("GET /webhooks/events/{transIdSc}/attempts", { path: { transIdSc } });
    }
    await all("GET /deposits");
    await all("GET /webhooks");
    await data("GET /otp/listeners", { query: { cardId } });
  });

  it("is carried on: its Program's settings change", async () => {
    const { programId } = store;
    for (const seconds of [60, 0])
      expect(await program.operate("set-clearing-delay", { programId, seconds })).toMatchObject({ seconds });
  });

  it("is carried on: its cards pay, its wallets pay out, its deadlines come", async () => {
    const cards = await all("GET /cards");
    const { cardId } = cards.find(({ status }: { status: number }) => status === CardStatus.active);
    const path = { cardId };
    const before = await data("GET /cards/{cardId}/balance", { path });
    const body = { amount: 1_000, merchantName: "Corner Shop", mcc: "5411" };
    const { authorizationId, approved } = await data("POST /cards/{cardId}/authorizations", { path, body });
    expect(approved).toBe(true);
    await data("POST /authorizations/{authorizationId}/clear", { path: { authorizationId }, body: {} });
    const { ledgerBalance } = await data("GET /cards/{cardId}/balance", { path });
    expect(ledgerBalance).toBe(before.ledgerBalance - 1_000);
    const { walletId } = (await all("GET /wallets")).find(
      ({ availableBalance }: { availableBalance: number }) => availableBalance > 5_000,
    );
    const transfer = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 5_000 };
    expect((await data("POST /wallets/transfer", { body: transfer })).transStatus).toBe(1);

    // All open holds expire.
    const advance = { method: "POST", body: JSON.stringify({ advance: "8d" }) };
    expect((await fetch(`${platform.connection.controlUrl}/clock`, advance)).status).toBe(200);
    await platform.settled();
    for (const { cardId } of cards) {
      const proof = await data("GET /cards/{cardId}/balance/proof", { path: { cardId } });
      expect(proof.openHolds.count).toBe(0);
      expect(proof.availableBalance).toBe(proof.ledgerBalance - proof.pendingDeposits.amount);
    }
    await expectBooksInOrder();
  });
});
