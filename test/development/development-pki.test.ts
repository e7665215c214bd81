import { X509Certificate } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  type DevelopmentPki,
  ensureClientCertificate,
  ensureDevelopmentPki,
} from "../../infra/development/development-pki.ts";

const dayMs = 86_400_000;
const holder = { tenantId: "tnt_1", programIds: ["prg_1", "prg_2"], domain: "demo.test" };

describe("the development PKI", () => {
  let directory: string;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "pki-"));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const texts = () =>
    Object.fromEntries(
      readdirSync(directory).map((file) => [file, readFileSync(join(directory, file), "utf8")]),
    );
  const certificate = (name: string) => new X509Certificate(readFileSync(join(directory, `${name}.pem`)));
  const ensureAll = async (now = new Date()): Promise<DevelopmentPki> => {
    const pki = await ensureDevelopmentPki(directory, now);
    await ensureClientCertificate(pki, holder, now);
    return pki;
  };

  it("makes a CA that signs the server's and the client's certificate", async () => {
    await ensureAll();
    const authority = certificate("ca");
    expect(authority.ca).toBe(true);
    for (const name of ["server", "client"]) {
      expect(certificate(name).ca).toBe(false);
      expect(certificate(name).checkIssued(authority)).toBe(true);
      expect(certificate(name).verify(authority.publicKey)).toBe(true);
    }
    expect(certificate("server").checkHost("localhost")).toBe("localhost");
    expect(certificate("server").checkHost("sandbox.localhost")).toBe("sandbox.localhost");
    expect(certificate("server").checkIP("127.0.0.1")).toBe("127.0.0.1");
    expect(certificate("server").checkIP("::1")).toBe("::1");
    expect(certificate("client").subject).toBe("O=tnt_1\nOU=prg_1\nOU=prg_2");
    expect(certificate("client").subjectAltName).toBe("DNS:demo.test");
  });

  it("keeps its keys to their owner", async () => {
    await ensureAll();
    const keys = readdirSync(directory).filter((file) => file.endsWith(".key"));
    expect(keys).toHaveLength(4);
    for (const file of keys) expect(statSync(join(directory, file)).mode & 0o077).toBe(0);
  });

  it("carries on with the same certificates and keys at the next start", async () => {
    await ensureAll();
    const before = texts();
    await ensureAll();
    expect(texts()).toEqual(before);
  });

  it("renews certificates that expire soon, with the CA that clients already trust", async () => {
    await ensureAll();
    const before = texts();
    await ensureAll(new Date(Date.now() + 800 * dayMs));
    expect(certificate("ca").raw.toString("base64")).toBe(
      new X509Certificate(before["ca.pem"] ?? "").raw.toString("base64"),
    );
    expect(texts()["server.pem"]).not.toBe(before["server.pem"]);
    expect(texts()["client.pem"]).not.toBe(before["client.pem"]);
  });

  it("is valid by the machine's clock and by one that is moved ahead", async () => {
    const moved = new Date(Date.now() + 400 * dayMs);
    await ensureAll(moved);
    for (const name of ["ca", "server", "client"]) {
      expect(certificate(name).validFromDate.getTime()).toBeLessThan(Date.now());
      expect(certificate(name).validToDate.getTime()).toBeGreaterThan(moved.getTime());
    }
  });

  it("replaces the client's certificate for another holder", async () => {
    const pki = await ensureAll();
    for (const other of [
      { ...holder, tenantId: "tnt_2" },
      { ...holder, programIds: ["prg_1"] },
      { ...holder, domain: "other.test" },
    ]) {
      const before = texts()["client.pem"];
      await ensureClientCertificate(pki, other, new Date());
      expect(texts()["client.pem"]).not.toBe(before);
    }
  });

  it("replaces a pair without a written certificate", async () => {
    await ensureAll();
    const { "client.key": clientKey = "" } = texts();
    writeFileSync(join(directory, "server.key"), clientKey);
    rmSync(join(directory, "client.pem"));
    await ensureAll();
    const authority = certificate("ca");
    for (const name of ["server", "client"]) {
      expect(certificate(name).verify(authority.publicKey)).toBe(true);
      expect(texts()[`${name}.key`]).not.toBe(clientKey);
    }
  });

  it("replaces everything if the CA is lost", async () => {
    await ensureAll();
    rmSync(join(directory, "ca.key"));
    await ensureAll();
    for (const name of ["server", "client"]) {
      expect(certificate(name).verify(certificate("ca").publicKey)).toBe(true);
    }
  });
});
