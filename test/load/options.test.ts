import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Connection } from "../../infra/development/connection.ts";
import { ensureDevelopmentPki } from "../../infra/development/development-pki.ts";
import { startReceiver } from "../harness/receiver.ts";
import { defaultLimits, kinds } from "./kinds.ts";
import { help, type LoadOptions, readOptions, UsageError } from "./options.ts";

const directory = mkdtempSync(join(tmpdir(), "load-options-"));
const file = join(directory, "connection.json");
const url = "http://127.0.0.1:1";
const connection: Connection = {
  baseUrl: `${url}/v2`,
  sandboxUrl: `${url}/v2/sandbox`,
  controlUrl: url,
  operatorUrl: url,
  processorQueueUrl: url,
  receivers: [],
  store: { endpoint: url, region: "eu-west-1", issuingTable: "issuing", accountsTable: "accounts" },
  ca: "ca.pem",
  truststore: "truststore.pem",
  cert: "client.pem",
  key: "client.key",
  clientCaKey: "ca.key",
  programApiKey: "key",
  tenantApiKey: "key",
  tenantId: "ten_1",
  programId: "prg_1",
  walletId: "wal_1",
};
writeFileSync(file, JSON.stringify(connection));
afterAll(() => rmSync(directory, { recursive: true }));

const read = (...args: string[]) => readOptions(args, { LOCAL_DIR: directory }) as LoadOptions;
const message = (...args: string[]): string => {
  try {
    read(...args);
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError);
    return (error as Error).message;
  }
  throw new Error("It was accepted.");
};

describe("npm run load takes", () => {
  it("nothing: the running local platform, and every default that --help names", () => {
    const options = read();
    expect(options).toMatchObject({ connection, seconds: 180, stepSeconds: 10, startRate: 20 });
    expect(options).toMatchObject({ rate: undefined, limits: defaultLimits });
    expect(options.reportFile).toBe(join(directory, "load.html"));
    for (const kind of kinds) expect(help).toContain(`${kind} ${defaultLimits[kind]}`);
    for (const text of ["Default: 180", "Default: 10", "Default: 20"]) expect(help).toContain(text);
  });

  it("a connection file and every option", () => {
    const words = `${file} --seconds 60 --step 5 --rate 0.5 --start 8 --seed 3 --report r.html --limit read=50`;
    const options = read(...words.split(" "), "--limit", "webhook=90.5");
    expect(options).toMatchObject({ seconds: 60, stepSeconds: 5, rate: 0.5, startRate: 8, seed: 3 });
    expect(options.limits).toEqual({ ...defaultLimits, read: 50, webhook: 90.5 });
    expect(readOptions(["--help"], {})).toBe("help");
  });

  it("nothing else, and says what it takes", () => {
    expect(message("--seconds", "0")).toContain('--seconds is "0"; it must be a number from 1 to 86400');
    expect(message("--rate", "fast")).toContain('--rate is "fast"');
    expect(message("--rate", "5000")).toContain("4000");
    expect(message("--limit", "writes=5")).toContain(
      "Kinds: authorization, clearing, transfer, read, webhook",
    );
    expect(message("--limit", "read=0")).toContain('--limit is "read=0"');
    expect(message("--slow")).toContain("--slow");
    expect(message(file, file)).toContain("one connection file");
    expect(message(join(directory, "none.json"))).toContain("npm start");
    const deployed = join(directory, "deployed.json");
    writeFileSync(deployed, JSON.stringify({ ...connection, store: undefined }));
    expect(message(deployed)).toContain("not the connection file of a running local platform: check store");
    writeFileSync(deployed, "{");
    expect(message(deployed)).toContain("not the connection file");
  });

  it("no file of a platform that has ended: it exits with 2", async () => {
    const { origin, stop } = await startReceiver();
    await stop();
    const { authority, server } = await ensureDevelopmentPki(join(directory, "pki"), new Date());
    const files = { ca: authority.certificateFile, cert: server.certificateFile, key: server.keyFile };
    const baseUrl = origin.replace("http:", "https:");
    writeFileSync(file, JSON.stringify({ ...connection, ...files, baseUrl }));
    const main = new URL("./main.ts", import.meta.url).pathname;
    const { status, stderr } = spawnSync(process.execPath, [main, file], {
      cwd: directory,
      encoding: "utf8",
    });
    expect(stderr).toContain("Nothing answers there. Start the platform with npm start.");
    expect(status).toBe(2);
  });
});
