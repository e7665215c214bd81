import { createHash, createPrivateKey, createPublicKey, type KeyObject } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { z } from "zod";
import { stateFile } from "../files.ts";
import type { Clock } from "../interfaces.ts";
import { randomBytes, randomInt } from "../randomness.ts";
import { type Assembly, type Resource, readProperties } from "../template.ts";

const SecretProperties = z.object({
  GenerateSecretString: z
    .strictObject({
      ExcludePunctuation: z.boolean().default(false),
      PasswordLength: z.number().int().min(4).default(32),
    })
    .prefault({}),
});

export interface Secrets {
  find(nameOrArn: string): Record<string, unknown> | undefined;
}

/** The template's secrets, generated once and stored in a file that only the owner can read. */
export function openSecrets(assembly: Assembly, file: string, clock: Pick<Clock, "now">): Secrets {
  const state = stateFile<Record<string, { value: string; createdAtSeconds: number }>>(file);
  const kept = state.read({});
  const createdAtSeconds = Math.floor(clock.now() / 1000);
  const resources = assembly.ofType("AWS::SecretsManager::Secret");
  for (const resource of resources)
    kept[resource.physicalName] ??= { value: generate(resource), createdAtSeconds };
  if (resources.length > 0) state.write(kept);
  return {
    find: (nameOrArn) => {
      const found = resources.find(({ physicalName, arn }) => [physicalName, arn].includes(nameOrArn));
      const secret = kept[found?.physicalName ?? ""];
      if (found === undefined || secret === undefined) return undefined;
      return {
        ARN: found.arn,
        Name: found.physicalName,
        VersionId: createHash("sha256").update(secret.value).digest("hex").slice(0, 32),
        SecretString: secret.value,
        VersionStages: ["AWSCURRENT"],
        CreatedDate: secret.createdAtSeconds,
      };
    },
  };
}

/** Generates a random text with every kind of character, Secrets Manager's default. */
function generate(resource: Resource): string {
  const { ExcludePunctuation, PasswordLength } = readProperties(
    resource,
    SecretProperties,
  ).GenerateSecretString;
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const punctuation = ExcludePunctuation ? [] : ["!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];
  const kinds = [letters, letters.toUpperCase(), "0123456789", ...punctuation];
  const all = kinds.join("");
  for (;;) {
    const characters = Array.from({ length: PasswordLength }, () => all[randomInt(all.length)]);
    const has = (kind: string) => characters.some((character = "") => kind.includes(character));
    if (kinds.every(has)) return characters.join("");
  }
}

const KeyProperties = z.object({
  KeySpec: z.enum(["SYMMETRIC_DEFAULT", "ECC_NIST_P256"]).default("SYMMETRIC_DEFAULT"),
  KeyUsage: z.enum(["ENCRYPT_DECRYPT", "SIGN_VERIFY"]).default("ENCRYPT_DECRYPT"),
});

const KeyInput = z.object({ KeyId: z.string().min(1).max(2048) });
const SignInput = KeyInput.extend({
  Message: z.base64(),
  MessageType: z.literal("DIGEST"),
  SigningAlgorithm: z.literal("ECDSA_SHA_256"),
});

export class KeyError extends Error {
  readonly code: "NotFoundException" | "ValidationException" | "InvalidKeyUsageException";

  constructor(code: KeyError["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const digestBytes = 32;

export interface SigningKeys {
  /** Undefined for an unsupported operation. Throws KeyError. */
  answer(operation: string, input: unknown): Record<string, unknown> | undefined;
}

/**
 * The template's asymmetric keys, generated once and stored in a file that only the owner can read.
 */
export function openSigningKeys(assembly: Assembly, file: string): SigningKeys {
  const keys = assembly.ofType("AWS::KMS::Key");
  const signing = keys.filter((key) => readUsage(key) === "SIGN_VERIFY");
  const state = stateFile<Record<string, { privateKey: string }>>(file);
  const kept = state.read({});
  for (const { physicalName } of signing) kept[physicalName] ??= { privateKey: newPrivateKey() };
  if (signing.length > 0) state.write(kept);
  const privateKeys = new Map(
    signing.map((key) => [key, createPrivateKey(kept[key.physicalName]?.privateKey ?? "")]),
  );
  const find = (idOrArn: string) => {
    const key = keys.find(({ physicalName, arn }) => idOrArn === physicalName || idOrArn === arn);
    if (key === undefined) throw new KeyError("NotFoundException", `Key '${idOrArn}' does not exist`);
    const privateKey = privateKeys.get(key);
    if (privateKey !== undefined) return { arn: key.arn, privateKey };
    throw new KeyError("InvalidKeyUsageException", `${idOrArn} key usage is ENCRYPT_DECRYPT.`);
  };
  return {
    answer: (operation, input) => {
      if (operation === "Sign") {
        const { KeyId, Message, SigningAlgorithm } = parse(SignInput, input);
        const { arn, privateKey } = find(KeyId);
        const Signature = signDigest(privateKey, Buffer.from(Message, "base64")).toString("base64");
        return { KeyId: arn, Signature, SigningAlgorithm };
      }
      if (operation === "GetPublicKey") {
        const { arn, privateKey } = find(parse(KeyInput, input).KeyId);
        const spki = createPublicKey(privateKey).export({ type: "spki", format: "der" });
        return { KeyId: arn, PublicKey: spki.toString("base64"), ...keySpec };
      }
      return undefined;
    },
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw new KeyError("ValidationException", z.prettifyError(error));
}

const keySpec = {
  KeySpec: "ECC_NIST_P256",
  CustomerMasterKeySpec: "ECC_NIST_P256",
  KeyUsage: "SIGN_VERIFY",
  SigningAlgorithms: ["ECDSA_SHA_256"],
};

function readUsage(key: Resource): string {
  const { KeySpec, KeyUsage } = readProperties(key, KeyProperties);
  if ((KeySpec === "ECC_NIST_P256") !== (KeyUsage === "SIGN_VERIFY")) {
    throw new Error(`${key.logicalId}: a key of ${KeySpec} cannot ${KeyUsage}`);
  }
  return KeyUsage;
}

function newPrivateKey(): string {
  const secret = p256.utils.randomSecretKey(randomBytes(48));
  const point = Buffer.from(p256.getPublicKey(secret, false));
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
  const [x, y, d] = [point.subarray(1, 33), point.subarray(33), secret].map(text);
  const key = createPrivateKey({ key: { kty: "EC", crv: "P-256", x, y, d }, format: "jwk" });
  return key.export({ type: "pkcs8", format: "pem" }).toString();
}

/** Node's `sign` would hash the digest again. */
function signDigest(privateKey: KeyObject, digest: Buffer): Buffer {
  if (digest.length !== digestBytes) {
    throw new KeyError("ValidationException", "Digest is invalid length for algorithm ECDSA_SHA_256.");
  }
  const secret = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  return Buffer.from(p256.sign(digest, secret, { prehash: false, format: "der" }));
}
