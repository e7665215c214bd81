import { createHash, createPublicKey, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  EncryptCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
  type SignCommandInput,
} from "@aws-sdk/client-kms";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsEndpoint, openAwsEndpoint } from "../endpoint/aws-endpoint.ts";
import { openKeys } from "../endpoint/kms.ts";
import { client } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

const signing = { KeySpec: "ECC_NIST_P256", KeyUsage: "SIGN_VERIFY" };
const template = givenTemplate(["AWS::KMS::Key", "ca", signing], ["AWS::KMS::Key", "data", {}]);
const arn = arnOf("AWS::KMS::Key", "ca");
const message = Buffer.from("to be signed");
const digest = createHash("sha256").update(message).digest();

describe("the local KMS", () => {
  const directory = mkdtempSync(join(tmpdir(), "kms-"));
  const file = join(directory, "kms.json");
  let aws: AwsEndpoint;
  let kms: KMSClient;

  beforeAll(async () => {
    aws = await openAwsEndpoint();
    aws.serve({ keys: openKeys(template, file) } as never);
    kms = new KMSClient({ ...client, endpoint: aws.endpoint, maxAttempts: 1 });
  });
  afterAll(async () => {
    kms.destroy();
    await aws.stop();
    rmSync(directory, { recursive: true });
  });

  const publicKey = async () => {
    const { PublicKey } = await kms.send(new GetPublicKeyCommand({ KeyId: arn }));
    return createPublicKey({ key: Buffer.from(PublicKey ?? []), format: "der", type: "spki" });
  };
  const sign = (input: Partial<SignCommandInput> = {}) =>
    kms.send(
      new SignCommand({
        KeyId: arn,
        Message: digest,
        MessageType: "DIGEST",
        SigningAlgorithm: "ECDSA_SHA_256",
        ...input,
      }),
    );

  it.each(["ca", arn])("signs a digest with the key %s, as its public side confirms", async (KeyId) => {
    const { Signature, KeyId: answered, SigningAlgorithm } = await sign({ KeyId });
    expect([answered, SigningAlgorithm]).toEqual([arn, "ECDSA_SHA_256"]);
    expect(verify("sha256", message, await publicKey(), Buffer.from(Signature ?? []))).toBe(true);
  });

  it("makes its keys on P-256", async () => {
    expect((await publicKey()).asymmetricKeyDetails).toEqual({ namedCurve: "prime256v1" });
  });

  it.each([
    ["a key that there is not", { KeyId: "nobody" }, "NotFoundException"],
    ["a key that encrypts", { KeyId: arnOf("AWS::KMS::Key", "data") }, "InvalidKeyUsageException"],
    ["a digest of another length", { Message: message }, "ValidationException"],
    ["a message instead of a digest", { MessageType: "RAW" }, "ValidationException"],
    ["another algorithm", { SigningAlgorithm: "ECDSA_SHA_384" }, "ValidationException"],
  ] as const)("refuses %s as KMS does", async (_, input, name) => {
    await expect(sign(input)).rejects.toMatchObject({ name, $metadata: { httpStatusCode: 400 } });
  });

  it("names what it does not serve", async () => {
    const command = new EncryptCommand({ KeyId: arn, Plaintext: message });
    await expect(kms.send(command)).rejects.toMatchObject({ name: "UnknownOperationException" });
  });

  it("keeps a key over restarts in a file that only its owner can read, and never returns it", async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const before = readFileSync(file, "utf8");
    const again = openKeys(template, file);
    expect(readFileSync(file, "utf8")).toBe(before);
    const der = (await publicKey()).export({ format: "der", type: "spki" }).toString("base64");
    const signed = {
      Message: digest.toString("base64"),
      MessageType: "DIGEST",
      SigningAlgorithm: "ECDSA_SHA_256",
    };
    const answers = [
      again.answer("Sign", { KeyId: arn, ...signed }),
      again.answer("GetPublicKey", { KeyId: arn }),
    ];
    expect(answers[1]).toMatchObject({ PublicKey: der });
    const secret = /-----BEGIN PRIVATE KEY-----\\n([^-\\]+)/.exec(before)?.[1] ?? "";
    expect(secret).toHaveLength(64);
    expect(JSON.stringify(answers)).not.toContain(secret);
  });

  it("rejects a key of the template that it does not support", () => {
    for (const properties of [{ KeySpec: "RSA_2048" }, { ...signing, KeyUsage: "ENCRYPT_DECRYPT" }]) {
      const other = givenTemplate(["AWS::KMS::Key", "other", properties]);
      expect(() => openKeys(other, join(directory, "other.json"))).toThrow("other");
    }
  });
});
