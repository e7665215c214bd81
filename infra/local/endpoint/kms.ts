import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
} from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { z } from "zod";
import { stateFile } from "../files.ts";
import { ServiceError, takeInput } from "../interfaces.ts";
import { randomBytes } from "../randomness.ts";
import { type Assembly, type Resource, readProperties } from "../template.ts";

const usages = ["ENCRYPT_DECRYPT", "SIGN_VERIFY", "KEY_AGREEMENT", "GENERATE_VERIFY_MAC"] as const;
type Usage = (typeof usages)[number];

const KeyProperties = z.object({
  KeySpec: z.enum(["SYMMETRIC_DEFAULT", "ECC_NIST_P256", "HMAC_256"]).default("SYMMETRIC_DEFAULT"),
  KeyUsage: z.enum(usages).default("ENCRYPT_DECRYPT"),
});
const keySpecs = {
  ENCRYPT_DECRYPT: "SYMMETRIC_DEFAULT",
  SIGN_VERIFY: "ECC_NIST_P256",
  KEY_AGREEMENT: "ECC_NIST_P256",
  GENERATE_VERIFY_MAC: "HMAC_256",
} as const satisfies Record<Usage, string>;

/** As KMS, which takes no empty bytes. */
const Bytes = z
  .base64()
  .min(1)
  .transform((text) => Buffer.from(text, "base64"));
const KeyInput = z.strictObject({ KeyId: z.string().min(1).max(2048) });
const InContext = KeyInput.extend({ EncryptionContext: z.record(z.string(), z.string()).default({}) });

const digestBytes = 32;
const largestMessageBytes = 4_096;

export type Keys = ReturnType<typeof openKeys>;

interface StoredKey {
  privateKey?: string;
  /** A symmetric key has it, in base64. */
  secret?: string;
}

/** A key of the template. Its usage decides which of the two it has. */
interface TemplateKey {
  readonly arn: string;
  readonly usage: Usage;
  readonly privateKey: () => KeyObject;
  readonly secret: () => Buffer;
}

/**
 * The template's keys, in a file that only the owner can read. A signing key is made at once, any
 * other at its first use.
 */
export function openKeys(assembly: Assembly, file: string) {
  const state = stateFile<Record<string, StoredKey>>(file);
  const kept = state.read({});
  const stored = (name: string, usage: Usage): StoredKey => {
    if (kept[name] === undefined) state.write(Object.assign(kept, { [name]: makeKey(usage) }));
    return kept[name] ?? {};
  };
  const keys = new Map<string, TemplateKey>();
  for (const resource of assembly.ofType("AWS::KMS::Key")) {
    const { physicalName: name, arn } = resource;
    const usage = readUsage(resource);
    if (usage === "SIGN_VERIFY") stored(name, usage);
    const key: TemplateKey = {
      arn,
      usage,
      privateKey: () => createPrivateKey(stored(name, usage).privateKey ?? ""),
      secret: () => Buffer.from(stored(name, usage).secret ?? "", "base64"),
    };
    keys.set(name, key).set(arn, key);
  }
  return {
    /** Undefined for an unsupported operation. Throws ServiceError. */
    answer: (name: string, input: unknown) =>
      Object.hasOwn(operations, name) ? operations[name]?.(keys, input) : undefined,
  };
}

type Operation = (keys: ReadonlyMap<string, TemplateKey>, input: unknown) => Record<string, unknown>;

/** The keys that it takes have one of these usages. Bytes are answered in base64. */
function operation<Schema extends z.ZodType<{ KeyId: string }>>(
  wanted: readonly Usage[],
  schema: Schema,
  answer: (key: TemplateKey, input: z.output<Schema>) => object,
): Operation {
  return (keys, input) => {
    const given = takeInput(schema, input);
    const key = keys.get(given.KeyId);
    if (key === undefined)
      throw new ServiceError(400, "NotFoundException", `Key '${given.KeyId}' does not exist`);
    if (!wanted.includes(key.usage))
      throw new ServiceError(400, "InvalidKeyUsageException", `${given.KeyId} key usage is ${key.usage}.`);
    const text = (value: unknown) => (Buffer.isBuffer(value) ? value.toString("base64") : value);
    const answered = Object.entries(answer(key, given)).map(([name, value]) => [name, text(value)]);
    return { KeyId: key.arn, ...Object.fromEntries(answered) };
  };
}

const invalid = (message: string) => new ServiceError(400, "ValidationException", message);

const operations: Readonly<Record<string, Operation>> = {
  Sign: operation(
    ["SIGN_VERIFY"],
    KeyInput.extend({
      Message: Bytes,
      MessageType: z.literal("DIGEST"),
      SigningAlgorithm: z.literal("ECDSA_SHA_256"),
    }),
    ({ privateKey }, { Message, SigningAlgorithm }) => {
      return { Signature: signDigest(privateKey(), Message), SigningAlgorithm };
    },
  ),
  GetPublicKey: operation(["SIGN_VERIFY", "KEY_AGREEMENT"], KeyInput, ({ privateKey, usage }) => {
    const PublicKey = createPublicKey(privateKey()).export({ type: "spki", format: "der" });
    return { PublicKey, KeySpec: keySpecs[usage], KeyUsage: usage, ...publicSpec[usage] };
  }),
  DeriveSharedSecret: operation(
    ["KEY_AGREEMENT"],
    KeyInput.extend({ KeyAgreementAlgorithm: z.literal("ECDH"), PublicKey: Bytes }),
    ({ privateKey }, { KeyAgreementAlgorithm, PublicKey }) => {
      const keys = { privateKey: privateKey(), publicKey: readPublicKey(PublicKey) };
      return { SharedSecret: diffieHellman(keys), KeyAgreementAlgorithm };
    },
  ),
  GenerateDataKey: operation(
    ["ENCRYPT_DECRYPT"],
    InContext.extend({ KeySpec: z.literal("AES_256") }),
    ({ secret }, { EncryptionContext }) => {
      const Plaintext = randomBytes(32);
      return { Plaintext, CiphertextBlob: seal(secret(), EncryptionContext, Plaintext) };
    },
  ),
  Decrypt: operation(
    ["ENCRYPT_DECRYPT"],
    InContext.extend({ CiphertextBlob: Bytes }),
    ({ secret }, { CiphertextBlob, EncryptionContext }) => {
      const Plaintext = open(secret(), EncryptionContext, CiphertextBlob);
      if (Plaintext !== undefined) return { Plaintext };
      const message = "The ciphertext or its context is another.";
      throw new ServiceError(400, "InvalidCiphertextException", message);
    },
  ),
  GenerateMac: operation(
    ["GENERATE_VERIFY_MAC"],
    KeyInput.extend({ Message: Bytes, MacAlgorithm: z.literal("HMAC_SHA_256") }),
    ({ secret }, { Message, MacAlgorithm }) => {
      if (Message.length > largestMessageBytes) throw invalid("Message is too long.");
      return { Mac: createHmac("sha256", secret()).update(Message).digest(), MacAlgorithm };
    },
  ),
};

const publicSpec: Readonly<Partial<Record<Usage, object>>> = {
  SIGN_VERIFY: { CustomerMasterKeySpec: "ECC_NIST_P256", SigningAlgorithms: ["ECDSA_SHA_256"] },
  KEY_AGREEMENT: { KeyAgreementAlgorithms: ["ECDH"] },
};

function readUsage(key: Resource): Usage {
  const { KeySpec, KeyUsage } = readProperties(key, KeyProperties);
  if (KeySpec !== keySpecs[KeyUsage])
    throw new Error(`${key.logicalId}: a key of ${KeySpec} cannot ${KeyUsage}`);
  return KeyUsage;
}

function makeKey(usage: Usage): StoredKey {
  if (keySpecs[usage] === "ECC_NIST_P256") return { privateKey: newPrivateKey() };
  return { secret: randomBytes(32).toString("base64") };
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
  if (digest.length !== digestBytes) throw invalid("Digest is invalid length for algorithm ECDSA_SHA_256.");
  const secret = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  return Buffer.from(p256.sign(digest, secret, { prehash: false, format: "der" }));
}

function readPublicKey(spki: Buffer): KeyObject {
  try {
    const key = createPublicKey({ key: spki, format: "der", type: "spki" });
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  } catch {
    // It is of no curve, or off its curve.
  }
  throw invalid("PublicKey is not a key of ECC_NIST_P256.");
}

/** What the local KMS gives out for a plaintext: bound to its key and its encryption context. */

const algorithm = "aes-256-gcm";
const ivBytes = 12;
const authTagLength = 16;

type Context = Readonly<Record<string, string>>;

export function seal(secret: Buffer, context: Context, plaintext: Buffer): Buffer {
  const iv = randomBytes(ivBytes);
  const cipher = createCipheriv(algorithm, secret, iv, { authTagLength }).setAAD(toBytes(context));
  const sealed = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Undefined if the ciphertext, its key or its context is another. */
export function open(secret: Buffer, context: Context, blob: Buffer): Buffer | undefined {
  const sealedAt = ivBytes + authTagLength;
  try {
    const decipher = createDecipheriv(algorithm, secret, blob.subarray(0, ivBytes), { authTagLength })
      .setAAD(toBytes(context))
      .setAuthTag(blob.subarray(ivBytes, sealedAt));
    return Buffer.concat([decipher.update(blob.subarray(sealedAt)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function toBytes(context: Context): Buffer {
  return Buffer.from(JSON.stringify(Object.entries(context).toSorted()));
}
