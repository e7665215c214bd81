import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readSettings } from "../../infra/development/settings.ts";

describe("the settings of a start", () => {
  it("have defaults for everything", () => {
    const defaults = {
      approvals: false,
      port: 8443,
      webhookPort: 0,
      directory: resolve(".local"),
      dynamodb: "dynoxide",
    };
    expect(readSettings({})).toEqual({
      ...defaults,
      receivers: ["http://127.0.0.1:8490", "http://127.0.0.1:8491"],
    });
    const empty = { PORT: "", WEBHOOK_PORT: "", LOCAL_DIR: "", LOCAL_DYNAMODB: "", LOCAL_RECEIVERS: "" };
    expect(readSettings(empty)).toEqual({ ...defaults, receivers: [] });
  });

  it("come from the environment", () => {
    const given = {
      PORT: "0",
      WEBHOOK_PORT: "8444",
      LOCAL_DIR: "/tmp/x",
      LOCAL_DYNAMODB: "http://127.0.0.1:8000",
      LOCAL_APPROVALS: "on",
      LOCAL_RECEIVERS: "http://127.0.0.1:9000, https://localhost:1,http://[::1]:2",
    };
    expect(readSettings(given)).toEqual({
      port: 0,
      webhookPort: 8444,
      directory: "/tmp/x",
      dynamodb: "http://127.0.0.1:8000",
      approvals: true,
      receivers: ["http://127.0.0.1:9000", "https://localhost:1", "http://[::1]:2"],
    });
  });

  it("reject the LOCAL_APPROVALS yes", () => {
    expect(() => readSettings({ LOCAL_APPROVALS: "yes" })).toThrow("LOCAL_APPROVALS is");
  });

  it.each(["x", "-1", "65536", "1.5", "1e3", " "])("reject the PORT %j", (PORT) => {
    expect(() => readSettings({ PORT })).toThrow("PORT is");
  });

  it.each([
    ...["example.com", "https://example.com", "http://10.0.0.1", "ftp://127.0.0.1"],
    ...["http://127.0.0.1:1/path", "http://127.0.0.1.evil.test", "http://localhost.evil.test"],
  ])("refuse the receiver %s, which is no origin on loopback", (LOCAL_RECEIVERS) => {
    expect(() => readSettings({ LOCAL_RECEIVERS })).toThrow("LOCAL_RECEIVERS contains");
  });
});
