import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, beforeEach, expect, it, test, vi } from "vitest";
import { connectionFile } from "../../infra/development/connection.ts";
import { demoProgram } from "../harness/given-live-program.ts";
import { startReceiver } from "../harness/receiver.ts";
import { endRunning, startedPlatform } from "./platform-process.ts";

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 });

const root = mkdtempSync(path.join(tmpdir(), "interrupted-"));
/** What a command makes for itself is in here, and its processes have it in their environment. */
let temporary: string;
let count = 0;
beforeEach(() => {
  count += 1;
  temporary = path.join(root, `temporary-${count}`);
  mkdirSync(temporary);
});
afterEach(endRunning);

/**
 * Interrupts the command after five seconds, and not before it has something to leave behind. Its
 * own process alone is told, as by `kill`.
 */
async function interrupt(
  signal: "SIGINT" | "SIGTERM",
  [file, ...words]: readonly string[],
  hasStarted = async () => readdirSync(temporary).length > 0 || processesOfIt().length > 1,
) {
  const env = { ...process.env, TMPDIR: temporary };
  const child = spawn(process.execPath, [`test/tools/${file}.ts`, ...words], {
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const outputs = [child.stdout, child.stderr].map(text);
  const closed = once(child, "close");
  await Promise.race([delay(5_000), closed]);
  while (child.exitCode === null && !(await hasStarted())) await delay(100);
  child.kill(signal);
  const [exitCode] = await closed;
  return { exitCode, said: (await Promise.all(outputs)).join("\n") };
}

function processesOfIt(): string[] {
  const ofIt = (id: string) => {
    try {
      return readFileSync(`/proc/${id}/environ`, "utf8").includes(temporary);
    } catch {
      return false;
    }
  };
  const ids = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && ofIt(name));
  return ids.map((id) => readFileSync(`/proc/${id}/cmdline`, "utf8").replaceAll("\0", " "));
}

/** The bundler of a synthesis that is killed ends by itself, as soon as its pipe is closed. */
async function expectNoProcesses(): Promise<void> {
  await vi.waitFor(() => expect(processesOfIt()).toEqual([]), { timeout: 3_000 });
}

it.each([
  ["SIGINT", 130, ["drill/main"]],
  ["SIGTERM", 143, ["drill/main", "--second-copy"]],
  ["SIGTERM", 143, ["drill/main", "--second-region"]],
  ["SIGINT", 130, ["prove/main"]],
  ["SIGTERM", 143, ["prove/faults"]],
  ["SIGINT", 130, ["prove/delivery"]],
  ["SIGTERM", 143, ["fuzz/main"]],
  ["SIGINT", 130, ["fuzz/main", "--live"]],
  ["SIGTERM", 143, ["replay/record"]],
  ["SIGINT", 130, ["upgrade/main"]],
  ["SIGINT", 130, ["bench/main", "hot-wallet"]],
  ["SIGTERM", 143, ["bench/main", "start"]],
  ["SIGTERM", 143, ["costs/main"]],
] as const)("%s ends with %i, and nothing is left of %j", async (signal, code, words) => {
  const { exitCode, said } = await interrupt(signal, words);
  expect({ exitCode, said }).toEqual({ exitCode: code, said: expect.stringContaining("Cleaning up") });
  expect(said).not.toMatch(/Error|failed/);
  await expectNoProcesses();
  expect(readdirSync(temporary)).toEqual([]);
});

test("what npm has started ends with npm, which tells its shell alone of a kill", async () => {
  const env = { ...process.env, TMPDIR: temporary };
  const npm = spawn("npm", ["run", "drill"], { env, stdio: "ignore" });
  // npm keeps a cache of its own there.
  const folders = () => readdirSync(temporary).filter((name) => name !== "node-compile-cache");
  await vi.waitFor(() => expect(folders()).not.toEqual([]), { timeout: 60_000 });
  npm.kill("SIGTERM");
  await once(npm, "exit");
  await vi.waitFor(() => expect(folders()).toEqual([]), { timeout: 30_000 });
  await expectNoProcesses();
});

it.each(["SIGINT", "SIGTERM"] as const)(
  "npm run load leaves neither endpoint nor report at %s",
  async (signal) => {
    const receiver = await startReceiver();
    await receiver.stop();
    const directory = mkdtempSync(path.join(root, "load-"));
    const platform = await startedPlatform(directory, { LOCAL_RECEIVERS: receiver.origin });
    const program = demoProgram(platform.connection());
    const words = ["load/main", connectionFile(directory), "--decide", "50"];
    const isRegistered = async () => (await program.call("GET /webhooks", {})).body.total > 0;
    const { said } = await interrupt(signal, words, isRegistered);
    expect(said).toContain("Cleaning up");
    expect(await program.call("GET /webhooks", {})).toMatchObject({ status: 200, body: { total: 0 } });
    expect(await program.call("GET /authorization-endpoint", {})).toMatchObject({ status: 404 });
    await program.close();
    expect(existsSync(path.join(directory, "load.html"))).toBe(false);
    await expectNoProcesses();
    expect(readdirSync(temporary)).toEqual([]);
  },
);
