import { readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { errorOf, givenFunction, stopFunctionsAfterEach } from "./given-function.ts";

stopFunctionsAfterEach();

describe("a function that fails", () => {
  it("reports a thrown error as Lambda does, and keeps the environment", async () => {
    const { runtime, logFile } = givenFunction(`let count = 0; class Broken extends Error { name = "Broken" }
      export const handler = async (event) => { count += 1; console.log("said " + event); if (event === "bad") throw new Broken("no"); return count; };`);
    const result = await runtime.invoke("work", "bad");
    expect(errorOf(result)).toMatchObject({
      functionError: "Unhandled",
      errorType: "Broken",
      errorMessage: "no",
    });
    expect((result.payload as { trace: string[] }).trace[0]).toBe("Broken: no");
    expect(await runtime.invoke("work", "good")).toEqual({ payload: 2 });
    await runtime.close();
    const log = readFileSync(logFile, "utf8");
    expect(log).toContain("said bad");
    expect(log).toContain('"message":"Invoke Error"');
  });

  it("ends an invocation at its timeout, even a busy loop, and starts afresh", async () => {
    const source =
      "let count = 0; export const handler = async (event) => { count += 1; if (event === 'stuck') for (;;); return count; };";
    const { runtime } = givenFunction(source, { Timeout: 1 });
    const result = await runtime.invoke("work", "stuck");
    expect(errorOf(result)).toMatchObject({ functionError: "Unhandled", errorType: "Sandbox.Timedout" });
    expect(errorOf(result)).toHaveProperty(
      "errorMessage",
      expect.stringMatching(/^RequestId: [0-9a-f-]{36} Error: Task timed out after 1\.00 seconds$/),
    );
    expect(await runtime.invoke("work", "ok")).toEqual({ payload: 1 });
  });

  it.each([
    [
      "exits",
      "process.exit(3)",
      { errorType: "Runtime.ExitError", errorMessage: expect.stringContaining("exit status 3") },
    ],
    [
      "throws outside the handler",
      "setImmediate(() => { throw new TypeError('stray'); }); await new Promise(() => {})",
      { errorType: "TypeError", errorMessage: "stray" },
    ],
    [
      "uses up its memory",
      "const all = []; for (;;) all.push(new Array(100_000).fill(all.length))",
      { errorType: "Runtime.OutOfMemory" },
    ],
  ])("survives a function that %s", async (_name, body, expected) => {
    const { runtime } = givenFunction(
      `export const handler = async (event) => { if (event === 1) { ${body} } return "alive"; };`,
      { Timeout: 20, MemorySize: 128 },
    );
    expect(errorOf(await runtime.invoke("work", 1))).toMatchObject({
      functionError: "Unhandled",
      ...expected,
    });
    expect(await runtime.invoke("work", 2)).toEqual({ payload: "alive" });
  });

  it("can be killed in the midst of a run, and starts afresh", async () => {
    const { runtime } = givenFunction(
      `let count = 0; export const handler = async (event) => { count += 1; if (event === "long") await new Promise(() => {}); return count; };`,
      { Timeout: 20 },
    );
    expect(await runtime.invoke("work", "short")).toEqual({ payload: 1 });
    const killed = runtime.killNext("work", 20);
    const result = await runtime.invoke("work", "long");
    expect(await killed).toBe(true);
    expect(errorOf(result)).toMatchObject({
      errorType: "Runtime.ExitError",
      errorMessage: expect.stringContaining("signal: killed"),
    });
    expect(await runtime.invoke("work", "short")).toEqual({ payload: 1 });
  });

  it("that was done before it was to be killed is not", async () => {
    const { runtime } = givenFunction("export const handler = async () => 1;");
    await runtime.invoke("work", 1);
    const killed = runtime.killNext("work", 60_000);
    expect(await runtime.invoke("work", 1)).toEqual({ payload: 1 });
    expect(await killed).toBe(false);
    expect(() => runtime.killNext("unknown", 0)).toThrow("Function not found");
  });

  it("drops an environment that broke after its answer, and says so in the log", async () => {
    const { runtime, logFile } = givenFunction(`export const handler = async (event) => {
      if (event === 1) setTimeout(() => { throw new Error("stray"); }, 50); return "answered"; };`);
    expect(await runtime.invoke("work", 1)).toEqual({ payload: "answered" });
    await vi.waitFor(() => expect(readFileSync(logFile, "utf8")).toContain("stray"), 60_000);
    expect(await runtime.invoke("work", 2)).toEqual({ payload: "answered" });
  });

  it.each([
    [
      "the code does not load",
      "throw new RangeError('at init');",
      "index.handler",
      { errorType: "RangeError", errorMessage: "at init" },
    ],
    ["the file is missing", "", "other.handler", { errorType: "Runtime.ImportModuleError" }],
    [
      "the export is missing",
      "export const other = 1;",
      "index.handler",
      { errorType: "Runtime.HandlerNotFound" },
    ],
  ])("answers each invocation with the reason where %s", async (_name, source, handler, expected) => {
    const { runtime } = givenFunction(source, { Handler: handler });
    expect(errorOf(await runtime.invoke("work", {}))).toMatchObject({
      functionError: "Unhandled",
      ...expected,
    });
    expect(errorOf(await runtime.invoke("work", {}))).toMatchObject({
      functionError: "Unhandled",
      ...expected,
    });
  });
});
