import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LazyConsole } from "../lazy-console.ts";

it("a thread that could not start is started anew by the next request", async () => {
  const directory = mkdtempSync(join(tmpdir(), "console-"));
  const console = new LazyConsole(directory);
  onTestFinished(async () => {
    await console.stop();
    rmSync(directory, { recursive: true });
  });
  const asked = { method: "GET", url: "/console", headers: {} } as IncomingMessage;
  const fail = () => console.answer(asked, {} as ServerResponse).catch((error: Error) => error.message);
  const without = await fail();
  expect(without).toContain("No platform runs in");
  writeFileSync(join(directory, "connection.json"), "{}");
  expect(await fail()).not.toBe(without);
});
