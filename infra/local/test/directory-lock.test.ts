import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { lockFile } from "../files.ts";
import { removeTemporaryDirectories, temporaryDirectory } from "./given-assembly.ts";

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  removeTemporaryDirectories();
});

/** Another process that takes the lock and keeps it. */
async function holdElsewhere(path: string): Promise<ChildProcess> {
  const source = `
    const { lockFile } = await import(${JSON.stringify(new URL("../files.ts", import.meta.url).href)});
    globalThis.lock = await lockFile(${JSON.stringify(path)}, 0, "held");
    console.log("locked"); setInterval(() => globalThis.lock, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", source], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  await once(child.stdout, "data");
  return child;
}

describe("the lock of a directory", () => {
  it("cannot be taken while another process holds it; the error names that process", async () => {
    const path = join(temporaryDirectory(), "lock");
    const holder = await holdElsewhere(path);
    await expect(lockFile(path, 0, "In use")).rejects.toThrow(`In use (process ${holder.pid})`);
  });

  it("is free again after the holder was killed", async () => {
    const path = join(temporaryDirectory(), "lock");
    const holder = await holdElsewhere(path);
    const waiting = lockFile(path, 60_000, "In use");
    holder.kill("SIGKILL");
    (await waiting).release();
  });

  it("cannot be taken twice within one process until it is released", async () => {
    const path = join(temporaryDirectory(), "new", "lock");
    const lock = await lockFile(path, 0, "In use");
    await expect(lockFile(path, 0, "In use")).rejects.toThrow("In use");
    lock.release();
    (await lockFile(path, 0, "In use")).release();
  });
});
