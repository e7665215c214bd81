import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { correlate, correlated, log } from "../../../shared/platform/log.ts";

const written: Record<"stdout" | "stderr", string[]> = { stdout: [], stderr: [] };

beforeEach(() => {
  vi.stubEnv("SERVICE_NAME", "cards");
  vi.stubEnv("LOG_LEVEL", "INFO");
  vi.useFakeTimers({ toFake: ["Date"], now: Date.UTC(2026, 0, 31, 12) });
  for (const name of ["stdout", "stderr"] as const) {
    written[name] = [];
    vi.spyOn(process[name], "write").mockImplementation((text) => written[name].push(String(text)) > 0);
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  vi.unstubAllEnvs();
});

/** The one line that was written. */
function line(name: "stdout" | "stderr" = "stdout"): Record<string, unknown> {
  const [text = "", ...more] = written[name];
  expect(more).toEqual([]);
  expect(text.indexOf("\n")).toBe(text.length - 1);
  return JSON.parse(text) as Record<string, unknown>;
}

describe("a log line", () => {
  it("is one JSON object with level, message, time, function and facts", () => {
    log.info("Done.", { count: 2, text: "a\nb", missing: undefined, large: 2n ** 60n });
    expect(line()).toEqual({
      level: "INFO",
      message: "Done.",
      timestamp: "2026-01-31T12:00:00.000Z",
      service: "cards",
      count: 2,
      text: "a\nb",
      large: "1152921504606846976",
    });
  });

  it("has the ids of the work that it belongs to", async () => {
    await correlated({ requestId: "r1" }, async () => {
      correlate({ processorEventId: "p1" });
      await correlated({ eventId: "e1" }, async () => log.info("Inside."));
    });
    expect(line()).toMatchObject({ requestId: "r1", processorEventId: "p1", eventId: "e1" });
  });

  it("has the trace's id if Lambda traces the invocation", () => {
    vi.stubEnv("_X_AMZN_TRACE_ID", "Root=1-67f0-abc;Parent=53995c3f42cd8ad8;Sampled=1");
    log.info("Traced.");
    expect(line()).toMatchObject({ xray_trace_id: "1-67f0-abc" });
  });

  it("shows an error's name, message, stack, code and causes, and nothing else of it", () => {
    const cause = Object.assign(new TypeError("refused"), { code: "ECONNREFUSED" });
    const error = Object.assign(new Error("no answer", { cause }), {
      $metadata: { requestId: "aws-1" },
      Item: { email: "private" },
    });
    log.error("Failed.", { error });
    expect(line("stderr")).toMatchObject({
      level: "ERROR",
      error: {
        name: "Error",
        message: "no answer",
        stack: error.stack,
        $metadata: { requestId: "aws-1" },
        cause: { name: "TypeError", message: "refused", code: "ECONNREFUSED" },
      },
    });
    expect(written.stderr.join()).not.toContain("private");
  });

  it("is written without the facts if they cannot be", () => {
    const facts: Record<string, unknown> = {};
    facts.self = facts;
    correlated({ requestId: "r1" }, () => log.warn("Circular.", facts));
    expect(line("stderr")).toMatchObject({ level: "WARN", message: "Circular.", requestId: "r1" });
  });
});

describe("the log level", () => {
  const all = () => {
    log.info("i");
    log.warn("w");
    log.error("e");
    log.measured("m", {});
    return [...written.stdout, ...written.stderr].map((text) => JSON.parse(text).message).join("");
  };

  it.each([
    ["DEBUG", "imwe"],
    ["INFO", "imwe"],
    ["WARN", "mwe"],
    ["ERROR", "me"],
    ["SILENT", ""],
  ])("%s lets pass %s; measurements always except when silent", (level, passed) => {
    vi.stubEnv("LOG_LEVEL", level);
    expect(all()).toBe(passed);
  });
});
