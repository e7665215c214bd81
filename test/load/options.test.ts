import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { readWords, writeHelp } from "../../infra/command-line/command.ts";
import type { Connection } from "../../infra/development/connection.ts";
import { ensureDevelopmentPki } from "../../infra/development/development-pki.ts";
import { startReceiver } from "../harness/receiver.ts";
import { defaultLimits, kinds } from "../tools/load/kinds.ts";
import { command } from "../tools/load/main.ts";
import { readLimits, reportFileOf } from "../tools/load/options.ts";

const main = new URL("../tools/load/main.ts", import.meta.url).pathname;
const directory = mkdtempSync(join(tmpdir(), "load-options-"));
const file = join(directory, "connection.json");
const url = "http://127.0.0.1:1";
const connection: Connection = {
  baseUrl: `${url}/v2`,
  sandboxUrl: `${url}/v2/sandbox`,
  webhookBaseUrl: `${url}/v2`,
  controlUrl: url,
  consoleUrl: url,
  operatorUrl: url,
  processorQueueUrl: url,
  outsideQueueUrl: url,
  files: { endpoint: url, bucket: "files" },
  receivers: [],
  store: { endpoint: url, region: "eu-west-1", issuingTable: "issuing", accountsTable: "accounts" },
  ca: "ca.pem",
  truststore: "truststore.pem",
  cert: "client.pem",
  key: "client.key",
  clientCaKey: "ca.key",
  network: {
    server: { cert: "server.pem", key: "server.key" },
    client: { name: "card-network", cert: "network.pem", key: "network.key" },
  },
  programApiKey: "key",
  tenantApiKey: "key",
  tenantId: "ten_1",
  programId: "prg_1",
  walletId: "wal_1",
  bankAccount: "DE89370400440532013000",
};
writeFileSync(file, JSON.stringify(connection));
afterAll(() => rmSync(directory, { recursive: true }));

const options = (...args: string[]) => readWords(command, args).options;
const refused = (...args: string[]): string => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
    cwd: directory,
    encoding: "utf8",
  });
  expect(status).toBe(2);
  return stderr;
};

describe("npm run load takes", () => {
  it("nothing, with every default that --help names", () => {
    expect(options()).toMatchObject({ seconds: 180, step: 10, start: 20, rate: undefined, limit: [] });
    expect(readLimits([])).toEqual(defaultLimits);
    expect(reportFileOf(file, undefined)).toBe(join(directory, "load.html"));
    const help = writeHelp(command);
    for (const kind of kinds) expect(help).toContain(`${kind} ${defaultLimits[kind]}`);
    for (const text of ["default: 180", "default: 10", "default: 20"]) expect(help).toContain(text);
  });

  it("a connection file and every option", () => {
    const words = `${file} --seconds 60 --step 5 --rate 0.5 --start 8 --seed 3 --report r.html --limit read=50`;
    const given = readWords(command, [...words.split(" "), "--limit", "webhook=90.5"]);
    expect(given.words).toEqual([file]);
    expect(given.options).toMatchObject({ seconds: 60, step: 5, rate: 0.5, start: 8, seed: 3 });
    expect(readLimits(given.options.limit)).toEqual({ ...defaultLimits, read: 50, webhook: 90.5 });
    const decided = readWords(command, ["--decide", "300"]).options;
    expect(readLimits([], decided.decide)).toEqual({ ...defaultLimits, authorization: 650 });
  });

  it("nothing else, and says what it takes", () => {
    const at =
      (...args: string[]) =>
      () =>
        options(...args);
    expect(at("--seconds", "0")).toThrow('--seconds is "0"; it must be a whole number from 1 to 86400');
    expect(at("--rate", "fast")).toThrow('--rate is "fast"');
    expect(at("--rate", "5000")).toThrow("4000");
    expect(() => readLimits(["writes=5"])).toThrow("Kinds: authorization, clearing, transfer, read, webhook");
    expect(() => readLimits(["read=0"])).toThrow('--limit is "read=0"');
    expect(at("--slow")).toThrow("--slow");
    expect(at(file, file)).toThrow("one argument too many");
  });

  it("no file that is missing or of another platform", () => {
    expect(refused(join(directory, "none.json"))).toContain("There is no");
    const deployed = join(directory, "deployed.json");
    writeFileSync(deployed, JSON.stringify({ ...connection, store: undefined }));
    expect(refused(deployed)).toContain("is not a connection file that this command can use: check store");
    writeFileSync(deployed, "{");
    expect(refused(deployed)).toContain("is not a connection file");
  });

  it("no file of a platform that has ended: it exits with 2", async () => {
    const { origin, stop } = await startReceiver();
    await stop();
    const { authority, server } = await ensureDevelopmentPki(join(directory, "pki"), new Date());
    const files = { ca: authority.certificateFile, cert: server.certificateFile, key: server.keyFile };
    const baseUrl = origin.replace("http:", "https:");
    writeFileSync(file, JSON.stringify({ ...connection, ...files, baseUrl }));
    expect(refused(file)).toContain("Nothing answers (connect ECONNREFUSED ");
  });
});
