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
import { ServiceError } from "../interfaces.ts";
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

const KeyInput = z.strictObject({ KeyId: z.string().min(1).max(2048) });
/** As KMS, which takes no empty bytes. */
const Bytes = z.base64().min(1);
const EncryptionContext = z.record(z.string(), z.string()).default({});
const inputs = {
  Sign: KeyInput.extend({
    Message: Bytes,
    MessageType: z.literal("DIGEST"),
    SigningAlgorithm: z.literal("ECDSA_SHA_256"),
  }),
  GetPublicKey: KeyInput,
  DeriveSharedSecret: KeyInput.extend({
    KeyAgreementAlgorithm: z.literal("ECDH"),
    PublicKey: Bytes,
  }),
  GenerateDataKey: KeyInput.extend({ KeySpec: z.literal("AES_256"), EncryptionContext }),
  Decrypt: KeyInput.extend({ CiphertextBlob: Bytes, EncryptionContext }),
  GenerateMac: KeyInput.extend({ Message: Bytes, MacAlgorithm: z.literal("HMAC_SHA_256") }),
};

const digestBytes = 32;
const largestMessageBytes = 4_096;

export interface Keys {
  /** Undefined for an unsupported operation. Throws ServiceError. */
  answer(operation: string, input: unknown): Record<string, unknown> | undefined;
}

interface StoredKey {
  privateKey?: string;
  /** A symmetric key has it, in base64. */
  secret?: string;
}

/**
 * The template's keys, in a file that only the owner can read. A signing key is made at once, any
 * other at its first use.
 */
export function openKeys(assembly: Assembly, file: string): Keys {
  const stored = openKeyFile(assembly, file);
  const operations = { ...asymmetric(stored), ...symmetric(stored) };
  return {
    answer: (operation, input) =>
      operation in operations ? operations[operation as keyof typeof operations](input) : undefined,
  };
}

type KeyFile = ReturnType<typeof openKeyFile>;

function openKeyFile(assembly: Assembly, file: string) {
  const usages = new Map(assembly.ofType("AWS::KMS::Key").map((key) => [key, readUsage(key)]));
  const keys = [...usages.keys()];
  const signing = keys.filter((key) => usages.get(key) === "SIGN_VERIFY");
  const state = stateFile<Record<string, StoredKey>>(file);
  const kept = state.read({});
  for (const { physicalName } of signing) kept[physicalName] ??= { privateKey: newPrivateKey() };
  if (signing.length > 0) state.write(kept);
  const storedAt = (name: string, make: () => StoredKey): StoredKey => {
    if (kept[name] === undefined) state.write(Object.assign(kept, { [name]: make() }));
    return kept[name] ?? {};
  };
  return {
    find: (idOrArn: string, ...wanted: Usage[]) => {
      const key = keys.find(({ physicalName, arn }) => idOrArn === physicalName || idOrArn === arn);
      if (key === undefined)
        throw new ServiceError(400, "NotFoundException", `Key '${idOrArn}' does not exist`);
      const usage = readUsage(key);
      if (wanted.includes(usage)) return { ...key, usage };
      throw new ServiceError(400, "InvalidKeyUsageException", `${idOrArn} key usage is ${usage}.`);
    },
    privateKeyOf: ({ physicalName }: Resource) =>
      createPrivateKey(storedAt(physicalName, () => ({ privateKey: newPrivateKey() })).privateKey ?? ""),
    findSecret: ({ physicalName }: Resource) => {
      const { secret = "" } = storedAt(physicalName, () => ({ secret: randomBytes(32).toString("base64") }));
      return Buffer.from(secret, "base64");
    },
  };
}

function asymmetric({ find, privateKeyOf }: KeyFile) {
  return {
    Sign: (input: unknown) => {
      const { KeyId, Message, SigningAlgorithm } = parse(inputs.Sign, input);
      const key = find(KeyId, "SIGN_VERIFY");
      const Signature = signDigest(privateKeyOf(key), Buffer.from(Message, "base64")).toString("base64");
      return { KeyId: key.arn, Signature, SigningAlgorithm };
    },
    GetPublicKey: (input: unknown) => {
      const key = find(parse(inputs.GetPublicKey, input).KeyId, "SIGN_VERIFY", "KEY_AGREEMENT");
      const spki = createPublicKey(privateKeyOf(key)).export({ type: "spki", format: "der" });
      return { KeyId: key.arn, PublicKey: spki.toString("base64"), ...publicSpec[key.usage] };
    },
    DeriveSharedSecret: (input: unknown) => {
      const { KeyId, PublicKey, ...rest } = parse(inputs.DeriveSharedSecret, input);
      const key = find(KeyId, "KEY_AGREEMENT");
      const publicKey = readPublicKey(PublicKey);
      const SharedSecret = diffieHellman({ privateKey: privateKeyOf(key), publicKey }).toString("base64");
      return { KeyId: key.arn, SharedSecret, ...rest };
    },
  };
}

function symmetric({ find, findSecret }: KeyFile) {
  return {
    GenerateDataKey: (input: unknown) => {
      const { KeyId, EncryptionContext } = parse(inputs.GenerateDataKey, input);
      const key = find(KeyId, "ENCRYPT_DECRYPT");
      const plaintext = randomBytes(32);
      const CiphertextBlob = seal(findSecret(key), EncryptionContext, plaintext).toString("base64");
      return { KeyId: key.arn, Plaintext: plaintext.toString("base64"), CiphertextBlob };
    },
    Decrypt: (input: unknown) => {
      const { KeyId, CiphertextBlob, EncryptionContext } = parse(inputs.Decrypt, input);
      const key = find(KeyId, "ENCRYPT_DECRYPT");
      const plaintext = open(findSecret(key), EncryptionContext, Buffer.from(CiphertextBlob, "base64"));
      if (plaintext === undefined)
        throw new ServiceError(
          400,
          "InvalidCiphertextException",
          "The ciphertext or its context is another.",
        );
      return { KeyId: key.arn, Plaintext: plaintext.toString("base64") };
    },
    GenerateMac: (input: unknown) => {
      const { KeyId, Message, MacAlgorithm } = parse(inputs.GenerateMac, input);
      const key = find(KeyId, "GENERATE_VERIFY_MAC");
      const message = Buffer.from(Message, "base64");
      if (message.length > largestMessageBytes)
        throw new ServiceError(400, "ValidationException", "Message is too long.");
      const Mac = createHmac("sha256", findSecret(key)).update(message).digest("base64");
      return { KeyId: key.arn, Mac, MacAlgorithm };
    },
  };
}

function parse<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw new ServiceError(400, "ValidationException", z.prettifyError(error));
}

const publicSpec = {
  SIGN_VERIFY: {
    KeySpec: "ECC_NIST_P256",
    CustomerMasterKeySpec: "ECC_NIST_P256",
    KeyUsage: "SIGN_VERIFY",
    SigningAlgorithms: ["ECDSA_SHA_256"],
  },
  KEY_AGREEMENT: {
    KeySpec: "ECC_NIST_P256",
    KeyUsage: "KEY_AGREEMENT",
    KeyAgreementAlgorithms: ["ECDH"],
  },
  ENCRYPT_DECRYPT: {},
  GENERATE_VERIFY_MAC: {},
};

function readUsage(key: Resource): Usage {
  const { KeySpec, KeyUsage } = readProperties(key, KeyProperties);
  if (KeySpec !== keySpecs[KeyUsage])
    throw new Error(`${key.logicalId}: a key of ${KeySpec} cannot ${KeyUsage}`);
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
    throw new ServiceError(
      400,
      "ValidationException",
      "Digest is invalid length for algorithm ECDSA_SHA_256.",
    );
  }
  const secret = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  return Buffer.from(p256.sign(digest, secret, { prehash: false, format: "der" }));
}

function readPublicKey(spki: string): KeyObject {
  try {
    const key = createPublicKey({ key: Buffer.from(spki, "base64"), format: "der", type: "spki" });
    if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  } catch {
    // It is of no curve, or off its curve.
  }
  throw new ServiceError(400, "ValidationException", "PublicKey is not a key of ECC_NIST_P256.");
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
