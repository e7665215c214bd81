import { generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { named, type RequestOptions } from "../../harness/given-certificates.ts";
import { unchanged } from "../account/given-account.ts";
import { type GivenApplicant, givenApplicant } from "./given-applicant.ts";

let applicant: GivenApplicant;
let other: GivenApplicant;
beforeAll(async () => {
  [applicant, other] = [await givenApplicant(), await givenApplicant()];
});

const noProgram = "prg_00000000000000000000000000";
const rsa1024 = {
  name: "RSASSA-PKCS1-v1_5",
  modulusLength: 1024,
  publicExponent: new Uint8Array([1, 0, 1]),
  hash: "SHA-256",
};
const many = Array.from({ length: 51 }, (_, index) => `host-${index}.demo.test`);

/** What a request asks for, and the codes of what is wrong with it. */
const faults: [string, string[], (given: GivenApplicant) => Partial<RequestOptions>][] = [
  ["an RSA key of 1024 bits", ["weak_key"], () => ({ key: rsa1024 })],
  [
    "an RSA key with the exponent 3",
    ["weak_key"],
    () => ({ key: { ...rsa1024, modulusLength: 2048, publicExponent: new Uint8Array([3]) } }),
  ],
  ["P-384", ["weak_key"], () => ({ key: { name: "ECDSA", namedCurve: "P-384", hash: "SHA-256" } })],
  ["Ed25519", ["weak_key"], () => ({ key: { name: "Ed25519" } })],
  [
    "a signature over SHA-1",
    ["weak_signature"],
    () => ({ key: { ...rsa1024, modulusLength: 2048, hash: "SHA-1" } }),
  ],
  ["no O", ["organization_missing"], (given) => ({ subject: [{ OU: [given.programId] }] })],
  ["another Tenant's O", ["wrong_organization"], () => ({ tenantId: other.tenantId })],
  [
    "two Os",
    ["wrong_organization"],
    (given) => ({
      subject: [named("O", given.tenantId), named("O", other.tenantId), named("OU", given.programId)],
    }),
  ],
  ["no OU", ["program_missing"], () => ({ programIds: [] })],
  [
    "another Tenant's OU",
    ["unknown_program"],
    (given) => ({ programIds: [given.programId, other.programId] }),
  ],
  ["an OU that is no Program", ["unknown_program"], () => ({ programIds: [noProgram] })],
  ["an OU that is no id", ["unknown_program"], () => ({ programIds: ["Payments"] })],
  [
    "the same OU twice",
    ["repeated_program"],
    (given) => ({ programIds: [given.programId, given.programId] }),
  ],
  [
    "51 OUs",
    ["too_many_programs"],
    () => ({ programIds: Array.from({ length: 51 }, (_, index) => `OU ${index}`) }),
  ],
  ["no subject alternative name", ["domain_missing"], () => ({ domains: [] })],
  ["51 of them", ["too_many_domains"], () => ({ domains: many })],
  ["a wildcard", ["wildcard"], () => ({ domains: ["demo.test", "*.demo.test"] })],
  ["an address", ["not_a_domain"], () => ({ alternativeNames: [{ type: "ip", value: "192.0.2.1" }] })],
  [
    "an email address",
    ["not_a_domain"],
    () => ({ alternativeNames: [{ type: "email", value: "a@demo.test" }] }),
  ],
  ["a URL", ["not_a_domain"], () => ({ alternativeNames: [{ type: "url", value: "https://demo.test" }] })],
  ...[
    "test",
    "demo..test",
    "-demo.test",
    "demo.test.",
    "de mo.test",
    "192.0.2.1",
    "demo_.test",
    `${"a".repeat(64)}.test`,
    "",
  ].map((domain): (typeof faults)[number] => [
    `the domain ${JSON.stringify(domain)}`,
    ["bad_domain"],
    () => ({ domains: [domain] }),
  ]),
  ["a public suffix", ["shared_domain"], () => ({ domains: ["demo.test", "Co.UK"] })],
  ["a cloud's domain", ["shared_domain"], () => ({ domains: ["amazonaws.com"] })],
  [
    "everything at once",
    ["weak_key", "wrong_organization", "unknown_program", "wildcard", "bad_domain"],
    () => ({ key: rsa1024, tenantId: other.tenantId, programIds: [noProgram], domains: ["*.test", "x"] }),
  ],
];

describe("422: a request with", () => {
  test.each(faults)("%s", async (_, codes, optionsOf) => {
    const csr = await applicant.request(optionsOf(applicant));
    let answer: Awaited<ReturnType<GivenApplicant["send"]>> | undefined;
    const verdict = await unchanged(async () => {
      answer = await applicant.send(csr);
      return answer;
    });
    expect(verdict).toEqual([422, "VALIDATION_FAILED", true]);
    const listed = answer?.body.errors as { path: string; code: string; message: string }[];
    expect(listed.map(({ code }) => code)).toEqual(codes);
    for (const { path, message } of listed) {
      expect(path).toBe("body.csr");
      expect(message).toMatch(/^[^{}<>]{10,160}$/);
    }
    expect(JSON.stringify(listed)).not.toContain(other.programId);
  });

  test("a signature that is not its key's", async () => {
    const [one, two] = [bytesOf(await applicant.request()), bytesOf(await applicant.request())];
    // The last bytes are the signature; both requests are of one length but for it.
    const forged = Buffer.concat([one.subarray(0, one.length - 40), two.subarray(two.length - 40)]);
    const { body } = await applicant.send(pemOf(forged));
    expect(body.errors).toMatchObject([{ path: "body.csr", code: "bad_signature" }]);
  });

  test("a subject that was changed after it was signed", async () => {
    const whole = bytesOf(await applicant.request({ domains: ["demo.test"] }));
    const changed = Buffer.from(whole);
    changed.write("evil", changed.indexOf("demo.test"));
    const { body } = await applicant.send(pemOf(changed));
    expect(body.errors).toMatchObject([{ path: "body.csr", code: "bad_signature" }]);
  });
});

describe("422: text that is not a request", () => {
  const certificate = () => applicant.certificate().then((made) => made.certificate);
  const inner = (csr: string) => csr.replaceAll(/-----[^-]+-----|\n/g, "");
  const texts: [string, () => Promise<string>][] = [
    ["a word", async () => "csr"],
    ["DER in base64", async () => inner(await applicant.request())],
    ["a certificate", certificate],
    ["two requests", async () => (await applicant.request()) + (await applicant.request())],
    ["a request within other text", async () => `Hello\n${await applicant.request()}`],
    ["half a request", async () => pemOf(bytesOf(await applicant.request()).subarray(0, 80))],
    ["random bytes", async () => pemOf(sign("sha256", Buffer.from("x"), anyKey()))],
    ["deep nesting", async () => pemOf(Buffer.from("3080".repeat(2_000), "hex"))],
    ["an empty body", async () => pemOf(Buffer.alloc(0))],
  ];
  test.each(texts)("%s", async (_, make) => {
    const csr = await make();
    const { status, body } = await applicant.send(csr);
    expect([status, body.errors?.[0]?.code]).toEqual([422, "not_a_csr"]);
  });

  test("a request with any signed byte damaged is rejected; damage elsewhere never causes an error", async () => {
    const whole = bytesOf(await applicant.request());
    const signed = signedPart(whole);
    const damage = fc.record({
      at: fc.nat(whole.length - 1),
      by: fc.integer({ min: 1, max: 255 }),
      length: fc.option(fc.integer({ min: 1, max: whole.length })),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(damage, { minLength: 1, maxLength: 4 }), async (damages) => {
        let bytes = Buffer.from(whole);
        for (const { at, by, length } of damages) {
          bytes.writeUInt8((bytes[at % bytes.length] ?? 0) ^ by, at % bytes.length);
          if (length !== null) bytes = bytes.subarray(0, Math.max(1, length));
        }
        const { status } = await applicant.send(pemOf(bytes));
        // Other encodings of the lengths and types around the signature are equivalent.
        if (bytes.includes(signed)) expect([200, 409, 422]).toContain(status);
        else expect(status).toBe(422);
      }),
      { numRuns: 300 },
    );
  });
});

function bytesOf(pem: string): Buffer {
  return Buffer.from(pem.replaceAll(/-----[^-]+-----/g, ""), "base64");
}

function pemOf(bytes: Uint8Array): string {
  const base64 = Buffer.from(bytes).toString("base64");
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64}\n-----END CERTIFICATE REQUEST-----\n`;
}

function anyKey(): KeyObject {
  return generateKeyPairSync("ec", { namedCurve: "prime256v1" }).privateKey;
}

/** What is signed of a request in DER: the first of the three things in it. */
function signedPart(der: Buffer): Buffer {
  const headerOf = (at: number) => 2 + ((der[at + 1] ?? 0) > 0x80 ? (der[at + 1] ?? 0) - 0x80 : 0);
  const lengthOf = (at: number) =>
    headerOf(at) === 2 ? (der[at + 1] ?? 0) : der.readUIntBE(at + 2, headerOf(at) - 2);
  const begin = headerOf(0);
  return der.subarray(begin, begin + headerOf(begin) + lengthOf(begin));
}
