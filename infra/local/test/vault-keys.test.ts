import { createPublicKey, diffieHellman, generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { openKeys } from "../endpoint/kms.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

const mac = { KeySpec: "HMAC_256", KeyUsage: "GENERATE_VERIFY_MAC" };
const template = givenTemplate(
  ["AWS::KMS::Key", "data", {}],
  ["AWS::KMS::Key", "mac", mac],
  ["AWS::KMS::Key", "other", mac],
  ["AWS::KMS::Key", "agreement", { KeySpec: "ECC_NIST_P256", KeyUsage: "KEY_AGREEMENT" }],
);
const directory = mkdtempSync(join(tmpdir(), "kms-"));
const file = join(directory, "kms.json");
afterAll(() => rmSync(directory, { recursive: true }));

const base64 = (text: string) => Buffer.from(text).toString("base64");
const ask = (operation: string, input: object) => openKeys(template, file).answer(operation, input) ?? {};
const keyOf = (name: string) => ({ KeyId: arnOf("AWS::KMS::Key", name) });

describe("the local KMS, for the vault", () => {
  it("unwraps a data key after a restart, within its context alone", () => {
    const EncryptionContext = { cardId: "one", programId: "two" };
    const made = ask("GenerateDataKey", { ...keyOf("data"), KeySpec: "AES_256", EncryptionContext });
    const { Plaintext, CiphertextBlob } = made as Record<string, string>;
    expect(Buffer.from(Plaintext ?? "", "base64")).toHaveLength(32);
    const reordered = { programId: "two", cardId: "one" };
    const open = (context: object) =>
      ask("Decrypt", { ...keyOf("data"), CiphertextBlob, EncryptionContext: context });
    expect(open(reordered)).toMatchObject({ Plaintext });
    expect(() => open({ ...EncryptionContext, cardId: "three" })).toThrow("context is another");
    expect(readFileSync(file, "utf8")).not.toContain(Plaintext);
  });

  it("opens nothing whose tag was shortened, and takes no empty bytes and no unknown members", () => {
    const made = ask("GenerateDataKey", { ...keyOf("data"), KeySpec: "AES_256" }) as Record<string, string>;
    const blob = Buffer.from(made.CiphertextBlob ?? "", "base64");
    const decrypt =
      (bytes: Buffer, more: object = {}) =>
      () =>
        ask("Decrypt", { ...keyOf("data"), CiphertextBlob: bytes.toString("base64"), ...more });
    expect(decrypt(blob)).not.toThrow();
    for (const length of [0, 12, 16, 27, 28]) {
      const code = length === 0 ? "ValidationException" : "InvalidCiphertextException";
      expect(decrypt(blob.subarray(0, length)), String(length)).toThrow(expect.objectContaining({ code }));
    }
    expect(decrypt(blob, { EncryptionAlgorithm: "RSAES_OAEP_SHA_1" })).toThrow("EncryptionAlgorithm");
    const mac = (Message: string) => () =>
      ask("GenerateMac", { ...keyOf("mac"), Message, MacAlgorithm: "HMAC_SHA_256" });
    expect(mac("")).toThrow(expect.objectContaining({ code: "ValidationException" }));
    expect(mac(base64("x".repeat(4_097)))).toThrow("too long");
    expect(mac(base64("x".repeat(4_096)))).not.toThrow();
  });

  it("computes the same MAC again, and another one with another key", () => {
    const of = (name: string, text: string) =>
      ask("GenerateMac", { ...keyOf(name), Message: base64(text), MacAlgorithm: "HMAC_SHA_256" }).Mac;
    expect(of("mac", "one")).toBe(of("mac", "one"));
    expect(new Set([of("mac", "one"), of("mac", "two"), of("other", "one")]).size).toBe(3);
  });

  it("agrees on the secret that the other side has, and on none with a key of another curve", () => {
    const agree = (curve: string) => {
      const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: curve });
      const PublicKey = publicKey.export({ type: "spki", format: "der" }).toString("base64");
      const input = { ...keyOf("agreement"), KeyAgreementAlgorithm: "ECDH", PublicKey };
      return { privateKey, answer: () => ask("DeriveSharedSecret", input) };
    };
    const { privateKey, answer } = agree("P-256");
    const { PublicKey } = ask("GetPublicKey", keyOf("agreement")) as Record<string, string>;
    const key = Buffer.from(PublicKey ?? "", "base64");
    const publicKey = createPublicKey({ key, format: "der", type: "spki" });
    const SharedSecret = diffieHellman({ privateKey, publicKey }).toString("base64");
    expect(answer()).toMatchObject({ SharedSecret });
    expect(agree("P-384").answer).toThrow("not a key of ECC_NIST_P256");
  });

  it("refuses a key of another use", () => {
    const message = { Message: base64("one"), MacAlgorithm: "HMAC_SHA_256" };
    expect(() => ask("GenerateMac", { ...keyOf("data"), ...message })).toThrow("key usage");
    expect(() => ask("GetPublicKey", keyOf("mac"))).toThrow("key usage");
  });
});
