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
    const { level, error: shown } = line("stderr");
    expect(level).toBe("ERROR");
    expect(shown).toEqual({
      name: "Error",
      message: "no answer",
      stack: error.stack,
      $metadata: { requestId: "aws-1" },
      cause: { name: "TypeError", message: "refused", code: "ECONNREFUSED", stack: cause.stack },
    });
  });

  it("shows no cause that is not an error", () => {
    log.error("Failed.", { error: new Error("no answer", { cause: { email: "private" } }) });
    expect(line("stderr").error).not.toHaveProperty("cause");
  });

  it("leaves out a circular fact, and no other", () => {
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    log.error("Failed.", { circular, failures: 3 });
    const { level, message, circular: left, failures } = line("stderr");
    expect({ level, message, left, failures }).toEqual({ level: "ERROR", message: "Failed.", failures: 3 });
  });

  it("keeps its message and level whatever the facts are called", () => {
    log.warn("Ours.", { message: "theirs", level: "INFO", service: "theirs" });
    expect(line("stderr")).toMatchObject({ message: "Ours.", level: "WARN", service: "cards" });
  });

  it("is lost without an error if nobody reads the output any more", () => {
    vi.spyOn(process.stdout, "write").mockImplementation(() => {
      process.stdout.emit("error", new Error("write EPIPE"));
      return false;
    });
    expect(() => log.info("Unread.")).not.toThrow();
  });
});

describe("the log level", () => {
  const all = () => {
    log.info("info");
    log.warn("warning");
    log.error("error");
    log.measured("measurement", {});
    return [...written.stdout, ...written.stderr].map((text) => JSON.parse(text).message);
  };

  it.each([
    ["DEBUG", ["info", "measurement", "warning", "error"]],
    ["INFO", ["info", "measurement", "warning", "error"]],
    ["WARN", ["measurement", "warning", "error"]],
    ["ERROR", ["measurement", "error"]],
    ["error", ["measurement", "error"]],
    ["SILENT", []],
    [undefined, ["info", "measurement", "warning", "error"]],
    ["unknown", ["info", "measurement", "warning", "error"]],
  ])("%s lets pass %j", (level, passed) => {
    vi.stubEnv("LOG_LEVEL", level);
    expect(all()).toEqual(passed);
  });
});
