import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Connection } from "../../infra/development/connection.ts";
import { startPlatform } from "../../infra/development/platform.ts";
import { portOf } from "../harness/listen.ts";
import {
  endRunning,
  type PlatformProcess,
  said,
  spawnPlatform,
  startedPlatform,
} from "./platform-process.ts";
import { send } from "./tls-request.ts";

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "platform-"));
});
afterEach(endRunning);

const call = (connection: Connection, method: string, path: string, body?: unknown) =>
  send(connection, { method, path, body, headers: { "X-API-Key": connection.programApiKey } });

/** Deposits 1 at a time until the platform is gone, and counts the requests and the 200s. */
async function depositUntilGone({ child, connection }: PlatformProcess) {
  const { walletId } = connection();
  const counts = { asked: 0, answered: 0 };
  while (child.exitCode === null && child.signalCode === null) {
    counts.asked += 1;
    const path = `/wallets/${walletId}/bank-deposit`;
    const answer = await call(connection(), "POST", path, { amount: 1 }).catch(() => undefined);
    if (answer?.status === 200) counts.answered += 1;
  }
  return counts;
}

/** Retries: on a busy machine DNS may be too slow for the authorizer, which then answers 503. */
function ledgerBalance(connection: Connection): Promise<number> {
  return vi.waitFor(
    async () => {
      const { status, body } = await call(connection, "GET", `/wallets/${connection.walletId}`);
      expect(status).toBe(200);
      return body.data.ledgerBalance;
    },
    { timeout: 60_000 },
  );
}

async function advance(connection: Connection, by: string): Promise<void> {
  const answer = await fetch(`${connection.controlUrl}/clock`, {
    method: "POST",
    body: JSON.stringify({ advance: by }),
  });
  expect(answer.status).toBe(200);
}

describe("kill -9", { timeout: 300_000 }, () => {
  it("at any moment loses no answered write, and the next start carries on, clock included", async () => {
    let expected = { least: 0, most: 0 };
    let first: Connection | undefined;
    for (const depositsBeforeKill of [1, 10]) {
      const platform = await startedPlatform(directory);
      const connection = platform.connection();
      first ??= connection;
      const { tenantId, programId, walletId, programApiKey, tenantApiKey, cert } = first;
      expect(connection).toMatchObject({ tenantId, programId, walletId, programApiKey, tenantApiKey, cert });
      const balance = await ledgerBalance(connection);
      expect(balance).toSatisfy((value: number) => value >= expected.least && value <= expected.most);

      const writers = [depositUntilGone(platform), depositUntilGone(platform)];
      while ((await ledgerBalance(connection)) < balance + depositsBeforeKill);
      await advance(connection, "1h");
      expect(await platform.end("SIGKILL")).toBe("SIGKILL");
      const counts = await Promise.all(writers);
      const sum = (values: number[]) => values.reduce((total, value) => total + value, balance);
      expected = {
        least: sum(counts.map(({ answered }) => answered)),
        most: sum(counts.map(({ asked }) => asked)),
      };
    }
    const { connection } = await startedPlatform(directory);
    const balance = await ledgerBalance(connection());
    expect(balance).toSatisfy((value: number) => value >= expected.least && value <= expected.most);
    const { body } = await call(connection(), "POST", "/wallets", { name: "Later" });
    const aheadMs = Date.parse(body.data.dateCreated) - Date.now();
    expect(aheadMs / 3_600_000).toBeCloseTo(2, 1);
  });

  it("during a start is repaired by the next start; SIGINT leaves nothing to repair", async () => {
    for (const moment of ["SQS and DNS are running", "Preparing the demo"]) {
      const platform = spawnPlatform(directory);
      await said(platform, moment);
      await platform.end("SIGKILL");
    }
    const calledOff = spawnPlatform(directory);
    await said(calledOff, "Preparing the demo");
    expect(await calledOff.end("SIGINT")).toBe(0);
    expect(existsSync(join(directory, "dynamodb/dynoxide/pid"))).toBe(false);
    const { connection } = await startedPlatform(directory);
    expect(await ledgerBalance(connection())).toBe(0);
  });

  it("of npm ends the platform too, and a start right after it waits for that", async () => {
    const env = { ...process.env, PORT: "0", LOCAL_DIR: directory };
    const npm = spawn("npm", ["start"], { env, stdio: ["ignore", "pipe", "ignore"] });
    let output = "";
    npm.stdout.on("data", (chunk) => {
      output += chunk;
    });
    while (!output.includes("The platform is ready.")) await once(npm.stdout, "data");
    npm.kill("SIGKILL");
    const platform = await startedPlatform(directory);
    expect(await ledgerBalance(platform.connection())).toBe(0);
    expect(await platform.end("SIGTERM")).toBe(0);
  });
});

describe("a run", () => {
  it("says how to call it, keeps its directory to itself, and ends clean and soon", async () => {
    const platform = await startedPlatform(directory);
    const connection = platform.connection();
    const [command = ""] = /curl --cacert[\s\S]*?\/wallets\n/.exec(platform.output()) ?? [];
    expect(command).not.toContain(connection.programApiKey);
    const { stdout, error } = spawnSync("sh", ["-c", command], { encoding: "utf8" });
    expect(error).toBeUndefined();
    expect(JSON.parse(stdout)).toMatchObject({ status: "success", total: 1 });

    const second = spawnPlatform(directory);
    await expect(said(second, "ready")).rejects.toThrow(`uses ${directory}. Stop it, or set LOCAL_DIR`);
    expect(second.child.exitCode).toBe(1);
    expect(second.output()).toContain(`(process ${platform.child.pid})`);
    expect(await ledgerBalance(connection)).toBe(0);

    const startedMs = performance.now();
    expect(await platform.end("SIGINT")).toBe(0);
    // Nothing that waits for work waits it out: a queue's source does so for 20 s at a time.
    expect(performance.now() - startedMs).toBeLessThan(18_000);
    expect(platform.output()).toContain("Stopped");
    await expect(call(connection, "GET", "/wallets")).rejects.toThrow("ECONNREFUSED");
  });

  it("says so where its port is taken or a setting makes no sense, and leaves nothing running", async () => {
    const other = createServer();
    const port = await portOf(other);
    const settings = { directory, port, dynamodb: "dynoxide", receivers: [] };
    await expect(startPlatform(settings)).rejects.toThrow(`Port ${port} of 127.0.0.1 is taken. Set PORT`);
    other.close();
    const refused = startPlatform({ ...settings, port: 0, dynamodb: "postgres" });
    await expect(refused).rejects.toThrow('LOCAL_DYNAMODB is "postgres"');
    const platform = await startPlatform({ ...settings, port: 0 });
    await platform.stop();
  });
});
