import { writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { useStore } from "../../infra/commands/audit/connect-store.ts";
import type { Platform } from "../../infra/development/platform.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import {
  amountOf,
  detailsOf,
  entryOf,
  notificationOf,
  refsOf,
  textOf,
} from "../shared/adapters/iso20022/camt.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** Lambda stops a function that one event has invoked 16 times, unless it allows loops. */
const notifications = 5_000;
const records = 110;
const patience = { timeout: 120_000, interval: 500 };

describe("jobs that take many invocations of a running platform", () => {
  let given: GivenPlatform;
  let platform: Platform;
  let program: LiveProgram;
  let receiver: Receiver;

  beforeAll(async () => {
    receiver = await startReceiver();
    // Each invocation applies one record of a file.
    given = await givenPlatform({ receivers: [receiver.origin], variables: { HAND_OVER_MS: "-1" } });
    ({ platform, program } = given);
    useStore(platform.connection.store);
  });
  afterAll(async () => {
    await given?.stop();
    await receiver?.stop();
  });

  /** Of a function. */
  async function invocations(name: string): Promise<number> {
    const answer = await fetch(new URL("/trace", platform.connection.controlUrl));
    const { entries } = (await answer.json()) as { entries: { kind: string; name: string }[] };
    return entries.filter((entry) => entry.kind === "invocation" && entry.name === name).length;
  }

  it("a file of more than a hundred slices is applied to its end, each record once", async () => {
    const { walletId, bankAccount } = platform.connection;
    const funds = async () =>
      (await program.call("GET /wallets/{walletId}", { path: { walletId } })).body.data.availableBalance;
    const before = await funds();
    const entries = Array.from({ length: records }, (_, index) =>
      entryOf(detailsOf(refsOf(`slice-${index}`) + amountOf("1.00") + textOf(walletId))),
    );
    const file = path.join(given.directory, "bank.xml");
    writeFileSync(file, notificationOf(bankAccount, ...entries));
    const { stdout } = await given.run("feed", "bank", file);
    expect(JSON.parse(stdout)).toMatchObject({ status: "applied", records, applied: records });
    expect(await invocations("files")).toBeGreaterThan(100);
    expect(await funds()).toBe(before + records * 100);
  });

  it("a replay sends thousands of notifications, to the last one", async () => {
    const since = new Date(Date.now() - 60_000).toISOString();
    // Imported late because they read the environment.
    const { notificationPut } = await import("../../shared/notifications/notification.ts");
    const { newId } = await import("../../shared/platform/id.ts");
    const { writeBatch } = await import("../../shared/platform/table/batch.ts");
    const made = Array.from({ length: notifications }, () => {
      const ids = { programId: program.programId, transIdSc: newId("notification"), cardId: newId("card") };
      const createdAt = new Date().toISOString();
      return { ...ids, eventType: 1 as const, body: "{}", bodySha256: "", createdAt };
    });
    await writeBatch(made.map((one) => ({ put: notificationPut(one).Put.Item })));
    await vi.waitFor(async () => {
      const page = await program.call("GET /webhooks/events", { query: { limit: "1" } });
      expect(page.body.total).toBeGreaterThanOrEqual(notifications);
    }, patience);
    await program.call("POST /webhooks", { body: { url: receiver.origin, eventTypes: [1] } });
    const { data } = (await program.call("POST /webhooks/events/redeliver", { body: { since } })).body;
    const { total } = data;
    expect(total).toBeGreaterThanOrEqual(notifications);
    const path = { replayId: data.replayId };
    await vi.waitFor(async () => {
      const replay = (await program.call("GET /webhooks/replays/{replayId}", { path })).body.data;
      expect(replay).toMatchObject({ status: "done", sent: total });
    }, patience);
    expect(await invocations("webhook-fanout")).toBeGreaterThan(notifications / 100);
  });
});
