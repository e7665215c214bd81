import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** Runs a program in a process of its own. */
export function run(file: string, ...words: string[]) {
  return ended(spawn(process.execPath, [file, ...words], { stdio: ["ignore", "pipe", "pipe"] }));
}

/** What it wrote until it ended, and its exit code. */
export async function ended(child: ChildProcess & { stdout: Readable; stderr: Readable }) {
  const closed = once(child, "close") as Promise<[status: number | null]>;
  const [stdout, stderr, [status]] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { status, stdout, stderr };
}
