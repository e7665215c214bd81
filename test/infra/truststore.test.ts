import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { S3Client } from "@aws-sdk/client-s3";
import { BasicConstraintsExtension, PemConverter, X509CertificateGenerator } from "@peculiar/x509";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  checkClientCaBundle,
  clientCaBundleVersion,
  uploadClientCaBundle,
} from "../../infra/commands/deploy/truststore.ts";
import { listen } from "../harness/listen.ts";

const now = new Date("2027-01-15T00:00:00Z");
const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };

async function certificate({ ca = true, notAfter = "2030-01-01T00:00:00Z" } = {}): Promise<string> {
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const made = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${ca ? "Test CA" : "Test client"}`,
    notBefore: new Date("2026-01-01T00:00:00Z"),
    notAfter: new Date(notAfter),
    keys,
    signingAlgorithm: algorithm,
    extensions: [new BasicConstraintsExtension(ca)],
  });
  return made.toString("pem");
}

describe("clients' CA bundle", () => {
  test("accepts several CA certificates, for a rotation", async () => {
    const bundle = `${await certificate()}\n${await certificate()}\n`;
    expect(() => checkClientCaBundle(bundle, now)).not.toThrow();
  });

  test("rejects anything but currently valid CA certificates", async () => {
    const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    const privateKey = PemConverter.encode(
      await webcrypto.subtle.exportKey("pkcs8", keys.privateKey),
      "PRIVATE KEY",
    );
    const ca = await certificate();
    for (const [bundle, fault] of [
      ["", "no certificate"],
      [`${ca}\n${privateKey}`, "private key"],
      [`${ca}\n${await certificate({ ca: false })}`, "CN=Test client is not a CA certificate"],
      [`${ca}\n${await certificate({ notAfter: "2027-01-01T00:00:00Z" })}`, "CN=Test CA is valid from"],
    ] as const) {
      expect(() => checkClientCaBundle(bundle, now)).toThrow(fault);
    }
  });
});

describe("upload", () => {
  /** A versioned bucket of one object, behind S3's own protocol. */
  let stored: { body: string; sha256: string; version: string } | undefined;
  let versioned: boolean;
  let puts: number;
  let server: Server;
  let s3: S3Client;

  beforeAll(async () => {
    server = createServer(async (request: IncomingMessage, response) => {
      if (request.url?.split("?")[0] !== "/truststore/clients.pem") return response.writeHead(400).end();
      if (request.method === "PUT") {
        puts += 1;
        const sha256 = String(request.headers["x-amz-meta-sha256"]);
        stored = { body: await text(request), sha256, version: `version-${puts}` };
      }
      if (stored === undefined) return response.writeHead(404).end();
      return response
        .writeHead(200, {
          "x-amz-meta-sha256": stored.sha256,
          ...(versioned ? { "x-amz-version-id": stored.version } : {}),
        })
        .end();
    });
    s3 = new S3Client({
      region: "eu-west-1",
      endpoint: await listen(server),
      forcePathStyle: true,
      credentials: { accessKeyId: "test", secretAccessKey: "test" },
      requestChecksumCalculation: "WHEN_REQUIRED",
    });
  });
  beforeEach(() => {
    stored = undefined;
    versioned = true;
    puts = 0;
  });
  afterAll(() => {
    s3.destroy();
    server.close();
  });

  test("uploads the bundle and returns its version, and changes nothing for the same bundle", async () => {
    expect(await uploadClientCaBundle(s3, "truststore", "first")).toBe("version-1");
    expect(stored?.body).toBe("first");
    expect(await uploadClientCaBundle(s3, "truststore", "first")).toBe("version-1");
    expect(puts).toBe(1);
  });

  test("returns the current version without an upload", async () => {
    expect(await clientCaBundleVersion(s3, "truststore")).toBeUndefined();
    await uploadClientCaBundle(s3, "truststore", "first");
    expect(await clientCaBundleVersion(s3, "truststore")).toBe("version-1");
    expect(puts).toBe(1);
  });

  test("creates a new version for a changed bundle", async () => {
    await uploadClientCaBundle(s3, "truststore", "first");
    expect(await uploadClientCaBundle(s3, "truststore", "second")).toBe("version-2");
  });

  test("rejects a bucket without versioning, with which the gateway would keep the old bundle", async () => {
    versioned = false;
    await expect(uploadClientCaBundle(s3, "truststore", "first")).rejects.toThrow("has no versioning");
  });
});
