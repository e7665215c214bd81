import { createHash, X509Certificate } from "node:crypto";
import type { JsonGeneralNames, JsonName } from "@peculiar/x509";
import { beforeAll, describe, expect, it } from "vitest";
import {
  type CertifiedKey,
  issueAuthority,
  issueLeaf,
} from "../../../infra/development/issue-certificate.ts";
import { readClientCertificate } from "../../../shared/tenancy/certificates/client-certificate.ts";
import { isSharedDomain } from "../../../shared/tenancy/certificates/shared-domain.ts";

const tenantId = "tnt_01J9ZC3P2V8Q4N6T0B5W7XKD1A";
const otherTenantId = "tnt_01J9ZC3P2V8Q4N6T0B5W7XKD1Z";
const programId = "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1B";
const otherProgramId = "prg_01J9ZC3P2V8Q4N6T0B5W7XKD1C";
const notBefore = new Date("2026-01-02T03:04:05Z");
const notAfter = new Date("2027-01-02T03:04:05Z");

const subject: JsonName = [{ O: [tenantId] }, { OU: [programId] }];
const dns = (...values: string[]): JsonGeneralNames => values.map((value) => ({ type: "dns", value }));

describe("reading a client certificate", () => {
  let authority: CertifiedKey;

  beforeAll(async () => {
    authority = await issueAuthority("Test CA", { notBefore, notAfter });
  });

  /** The PEM of a certificate that the CA could have been made to sign. */
  const signed = async (name: JsonName, names: JsonGeneralNames = dns("demo.test")) => {
    const leaf = { authority, usage: "clientAuth", notBefore, notAfter } as const;
    return (await issueLeaf({ ...leaf, subject: name, alternativeNames: names })).certificatePem;
  };
  const refuses = async (name: JsonName, names?: JsonGeneralNames) => {
    const pem = await signed(name, names);
    expect(() => readClientCertificate(pem)).toThrow(
      expect.objectContaining({ name: "CertificateUnusableError" }),
    );
  };

  it("gives holder, domains, validity and the fingerprint of the DER", async () => {
    const pem = await signed(
      [{ O: [tenantId] }, { OU: [programId] }, { OU: [otherProgramId] }],
      dns("Demo.test", "b.demo.co"),
    );
    expect(readClientCertificate(pem)).toEqual({
      tenantId,
      programIds: [programId, otherProgramId],
      domains: ["demo.test", "b.demo.co"],
      notBefore,
      notAfter,
      serialNumber: new X509Certificate(pem).serialNumber.toLowerCase(),
      fingerprint: createHash("sha256").update(new X509Certificate(pem).raw).digest("hex"),
    });
  });

  it("takes one without an OU: it names no Program", async () => {
    expect(readClientCertificate(await signed([{ O: [tenantId] }]))).toMatchObject({
      tenantId,
      programIds: [],
    });
  });

  it("takes several OUs of one multi-valued name part, and other attributes beside them", async () => {
    const pem = await signed([{ CN: [otherTenantId] }, { O: [tenantId], OU: [programId, otherProgramId] }]);
    expect(readClientCertificate(pem)).toMatchObject({
      tenantId,
      programIds: expect.arrayContaining([programId, otherProgramId]),
    });
  });

  it("is the same whatever line ends and white space the PEM has", async () => {
    const pem = await signed(subject);
    expect(readClientCertificate(`\n${pem.replaceAll("\n", "\r\n")}\n`)).toEqual(readClientCertificate(pem));
  });

  it.each<[string, JsonName]>([
    ["without O", [{ OU: [programId] }]],
    ["with an empty O", [{ O: [""] }, { OU: [programId] }]],
    ["with two Os", [{ O: [tenantId] }, { O: [otherTenantId] }, { OU: [programId] }]],
    ["with the same O twice", [{ O: [tenantId] }, { O: [tenantId] }, { OU: [programId] }]],
    ["with two Os in one name part", [{ O: [tenantId, otherTenantId] }, { OU: [programId] }]],
    ["with an OU written into O", [{ O: [`${tenantId}\nOU=${programId}`] }]],
    ["with an O and an OU written into CN", [{ CN: [`x\nO=${tenantId}\nOU=${programId}`] }]],
    ["with an escaped OU written into O", [{ O: [`${tenantId}, OU=${programId}`] }]],
    ["with a line end after O", [{ O: [`${tenantId}\n`] }, { OU: [programId] }]],
    ["with a NUL after O", [{ O: [`${tenantId}\0`] }, { OU: [programId] }]],
    ["with a space before O", [{ O: [` ${tenantId}`] }, { OU: [programId] }]],
    ["with O in lower case", [{ O: [tenantId.toLowerCase()] }, { OU: [programId] }]],
    ["with a Program in O", [{ O: [programId] }, { OU: [programId] }]],
    ["with an empty OU", [{ O: [tenantId] }, { OU: [""] }]],
    ["with an empty OU beside a right one", [{ O: [tenantId] }, { OU: [programId] }, { OU: [""] }]],
    ["with a wildcard OU", [{ O: [tenantId] }, { OU: ["*"] }]],
    ["with a NUL in OU", [{ O: [tenantId] }, { OU: [`${programId}\0`] }]],
    ["with two Programs in one OU", [{ O: [tenantId] }, { OU: [`${programId},${otherProgramId}`] }]],
    ["with the same OU twice", [{ O: [tenantId] }, { OU: [programId] }, { OU: [programId] }]],
    ["with 51 OUs", [{ O: [tenantId] }, ...manyPrograms(51)]],
    ["without a subject", []],
  ])("refuses one %s", (_, name) => refuses(name));

  it.each<[string, JsonGeneralNames]>([
    ["no alternative name", []],
    ["an empty name", dns("")],
    ["a wildcard", dns("*.demo.test")],
    ["a top-level domain", dns("com")],
    ["a root dot", dns("demo.test.")],
    ["a leading dot", dns(".demo.test")],
    ["an empty label", dns("demo..test")],
    ["an address written as a name", dns("192.0.2.1")],
    ["a label that begins with a hyphen", dns("-a.test")],
    ["a space", dns("demo .test")],
    ["a comma and another name", dns("a.test, DNS:demo.test")],
    ["a NUL", dns("demo.test\0.evil.test")],
    ["a line end", dns("demo.test\n")],
    ["letters beyond ASCII", dns("b\u00fccher.test")],
    ["a wrong name behind a right one", dns("demo.test", "*.test")],
    ["an address", [...dns("demo.test"), { type: "ip", value: "192.0.2.1" }]],
    ["a URL that reads like a name", [{ type: "url", value: "demo.test" }]],
    ["an e-mail address that reads like a name", [{ type: "email", value: "demo.test" }]],
    ["a URL that holds a name", [{ type: "url", value: "x, DNS:demo.test" }]],
    ["an e-mail address that holds a name", [{ type: "email", value: "x, DNS:demo.test" }]],
    ["51 names", dns(...[...Array(51).keys()].map((number) => `n${number}.test`))],
  ])("refuses one whose alternative names have %s", (_, names) => refuses(subject, names));

  it("reads an internationalized domain in its ASCII form alone", async () => {
    const pem = await signed(subject, dns("xn--bcher-kva.test"));
    expect(readClientCertificate(pem).domains).toEqual(["xn--bcher-kva.test"]);
  });

  it("rejects anything but exactly one PEM certificate", async () => {
    const pem = await signed(subject);
    const wrong = [
      "",
      "certificate",
      `${pem}${pem}`,
      `${await signed([{ CN: ["x"] }])}${pem}`,
      `text before\n${pem}`,
      pem.replace("-----END CERTIFICATE-----", ""),
      pem.replaceAll("CERTIFICATE", "TRUSTED CERTIFICATE"),
      pem.slice(0, -200),
      "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
      authority.keyPem,
      `-----BEGIN CERTIFICATE-----\n${"A".repeat(100_000)}\n-----END CERTIFICATE-----\n`,
    ];
    for (const text of wrong) {
      expect(() => readClientCertificate(text)).toThrow(
        expect.objectContaining({ name: "CertificateUnusableError" }),
      );
    }
  });
});

function manyPrograms(count: number): JsonName {
  return [...Array(count).keys()].map((number) => ({ OU: [`prg_${String(number).padStart(26, "0")}`] }));
}

describe("isSharedDomain", () => {
  it.each([
    ["a public suffix of two labels", "co.uk"],
    ["a public suffix under a wildcard rule", "anything.ck"],
    ["a platform's suffix, under which its customers have names", "herokuapp.com"],
    ["a cloud's domain", "amazonaws.com"],
    ["a region of a cloud", "eu-west-1.compute.amazonaws.com"],
    ["a content network", "cloudfront.net"],
    ["a cloud's domain with no suffix listed above it", "bc.googleusercontent.com"],
  ])("finds %s: %s", (_, domain) => {
    expect(isSharedDomain(domain)).toBe(true);
  });

  it.each([
    ["a company's domain", "customer.com"],
    ["a host of it", "api.payments.customer.co.uk"],
    ["a domain that only ends like a provider's", "notamazonaws.com"],
    ["the name of one address, below a region's suffix", "ec2-198-51-100-7.eu-west-1.compute.amazonaws.com"],
    ["a customer's own name under a platform's suffix", "customer.herokuapp.com"],
    ["the exception of a wildcard rule", "www.ck"],
    ["the reserved domain of this machine", "demo.test"],
  ])("lets %s pass: %s", (_, domain) => {
    expect(isSharedDomain(domain)).toBe(false);
  });
});
