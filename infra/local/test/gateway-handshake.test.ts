import { describe, expect, it } from "vitest";
import { dayMs, validFor } from "../../../test/harness/given-certificates.ts";
import { issueAuthority, issueLeaf } from "../../development/issue-certificate.ts";
import { givenGateway } from "./given-gateway.ts";
import { givenClient } from "./given-pki.ts";

const gateway = givenGateway();

describe("the handshake", () => {
  it("lets a certificate of the truststore in", async () => {
    const { secure, answer } = await gateway.handshake(gateway.tlsOptions());
    expect(secure).toBe(true);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
  });

  const past = { notBefore: new Date(Date.now() - 10 * dayMs), notAfter: new Date(Date.now() - dayMs) };
  const future = { notBefore: new Date(Date.now() + dayMs), notAfter: new Date(Date.now() + 2 * dayMs) };
  it.each([
    ["no certificate", async () => undefined, "certificate required"],
    ["a self-signed one", () => issueAuthority("Somebody", validFor(1)), "unknown ca"],
    [
      "one of another CA",
      async () => givenClient(await issueAuthority("Test CA", validFor(1))),
      "unknown ca",
    ],
    ["an expired one", () => givenClient(gateway.pki.authority, past), "certificate expired"],
    ["one that is not valid yet", () => givenClient(gateway.pki.authority, future), "certificate expired"],
    [
      "an expired one of another CA of the same name",
      async () => givenClient(await issueAuthority("Test CA", validFor(1)), past),
      "unknown ca",
    ],
    [
      "one for servers",
      () =>
        issueLeaf({
          authority: gateway.pki.authority,
          subject: [{ O: ["ten_1"] }],
          alternativeNames: [],
          usage: "serverAuth",
          ...validFor(1),
        }),
      "unsupported certificate",
    ],
  ])("fails with %s, by the alert of TLS, and nothing is answered", async (_name, make, alert) => {
    const client = await make();
    const { cert: _cert, key: _key, ...bare } = gateway.tlsOptions();
    const options = client === undefined ? bare : gateway.tlsOptions(client);
    expect(await gateway.handshake(options)).toEqual({
      ...{ secure: false, reused: false, answer: "" },
      error: expect.stringContaining(`alert ${alert}`),
    });
    expect(gateway.events.authorizer).toEqual([]);
    expect(gateway.traced).toMatchObject([{ name: "TLS handshake", detail: { outcome: "refused" } }]);
  });

  it("checks validity by the platform's clock", async () => {
    const later = {
      notBefore: new Date(Date.now() + 20 * dayMs),
      notAfter: new Date(Date.now() + 29 * dayMs),
    };
    const issuedLater = await givenClient(gateway.pki.authority, later);
    const ofAnother = await givenClient(await issueAuthority("Test CA", validFor(1)), later);
    const forServers = await issueLeaf({
      authority: gateway.pki.authority,
      subject: [{ O: ["t"] }],
      alternativeNames: [],
      usage: "serverAuth",
      ...later,
    });
    const { certificatePem } = gateway.pki.authority;
    const { keyPem } = await issueAuthority("Test CA", validFor(1));
    const forged = await givenClient({ certificatePem, keyPem }, later);
    gateway.offsetMs = 25 * dayMs;
    expect(await gateway.handshake(gateway.tlsOptions(forged))).toMatchObject({ secure: false, answer: "" });
    expect(await gateway.handshake(gateway.tlsOptions(issuedLater))).toMatchObject({ secure: true });
    expect(await gateway.handshake(gateway.tlsOptions(ofAnother))).toMatchObject({
      secure: false,
      answer: "",
    });
    expect(await gateway.handshake(gateway.tlsOptions(forServers))).toMatchObject({
      secure: false,
      answer: "",
    });
    gateway.offsetMs = 31 * dayMs;
    expect(await gateway.handshake(gateway.tlsOptions())).toMatchObject({ secure: false, answer: "" });
  });

  it("looks at the certificate of a resumed session too", async () => {
    const session = await gateway.session();
    const resumed = { ...gateway.tlsOptions(), session };
    expect(await gateway.handshake(resumed)).toMatchObject({ secure: true, reused: true });
    expect(gateway.events.authorizer).toMatchObject([
      { requestContext: { identity: { clientCert: { subjectDN: "OU=prg_1,O=ten_1" } } } },
    ]);
    gateway.offsetMs = 31 * dayMs;
    expect(await gateway.handshake(resumed)).toMatchObject({ answer: "" });
  });

  it("uses a new truststore at once, even for a client's earlier session", async () => {
    const other = await issueAuthority("Another CA", validFor(1));
    const ofOther = gateway.tlsOptions(await givenClient(other));
    const resumed = { ...gateway.tlsOptions(), session: await gateway.session() };
    expect(await gateway.handshake(ofOther)).toMatchObject({ secure: false });
    gateway.trust(gateway.pki.authority.certificatePem + other.certificatePem);
    expect(await gateway.handshake(ofOther)).toMatchObject({ secure: true });
    expect(await gateway.handshake(resumed)).toMatchObject({ secure: true });
    gateway.trust(other.certificatePem);
    expect(await gateway.handshake(ofOther)).toMatchObject({ secure: true });
    expect(await gateway.handshake(resumed)).toMatchObject({ secure: false, answer: "" });
    expect(await gateway.handshake(gateway.tlsOptions())).toMatchObject({ secure: false, answer: "" });
  });

  it("rejects TLS 1.1", async () => {
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "DEFAULT@SECLEVEL=0" } as const;
    expect(await gateway.handshake({ ...gateway.tlsOptions(), ...old })).toMatchObject({
      secure: false,
      answer: "",
    });
  });

  it("survives bytes that are not TLS", async () => {
    expect(await gateway.plain("GET / HTTP/1.1\r\n\r\n")).not.toContain("200");
    expect((await gateway.call("/v2/cards")).status).toBe(200);
  });
});
