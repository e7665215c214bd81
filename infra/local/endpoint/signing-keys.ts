import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from "node:crypto";
import { p256 } from "@noble/curves/nist.js";
import { z } from "zod";
import type { Assembly, Clock, Resource } from "../interfaces.ts";
import { readProperties } from "../provision/read-properties.ts";
import { StateFile } from "../state-file.ts";

const KeyProperties = z.object({
  KeySpec: z.enum(["SYMMETRIC_DEFAULT", "ECC_NIST_P256"]).default("SYMMETRIC_DEFAULT"),
  KeyUsage: z.enum(["ENCRYPT_DECRYPT", "SIGN_VERIFY"]).default("ENCRYPT_DECRYPT"),
  Enabled: z.literal(true).default(true),
  Description: z.string().default(""),
});

interface SigningKey {
  readonly id: string;
  readonly arn: string;
  readonly account: string;
  readonly description: string;
  readonly createdAtSeconds: number;
  readonly privateKey: KeyObject;
}

const KeyInput = z.object({ KeyId: z.string().min(1).max(2048) });
const SignInput = KeyInput.extend({
  Message: z.base64(),
  MessageType: z.enum(["RAW", "DIGEST"]).default("RAW"),
  SigningAlgorithm: z.literal("ECDSA_SHA_256"),
});

/** A refusal as KMS names it. */
export class KeyRefusal extends Error {
  readonly code: "NotFoundException" | "ValidationException" | "InvalidKeyUsageException";

  constructor(code: KeyRefusal["code"], message: string) {
    super(message);
    this.code = code;
  }
}

const LARGEST_MESSAGE_BYTES = 4096;
const DIGEST_BYTES = 32;

/**
 * The template's asymmetric keys, as KMS has them: made once, kept in a file that only its owner reads, and never given out. The symmetric ones encrypt what
 * is kept in the clear here.
 */
export class SigningKeys {
  readonly #keys: SigningKey[];
  readonly #symmetric: string[];

  constructor(assembly: Assembly, file: string, clock: Pick<Clock, "now">) {
    const keys = assembly.ofType("AWS::KMS::Key");
    const signing = keys.filter((key) => usageOf(key) === "SIGN_VERIFY");
    this.#symmetric = keys.filter((key) => !signing.includes(key)).flatMap((key) => [key.arn, idOf(key)]);
    const state = new StateFile<Record<string, { privateKey: string; createdAtSeconds: number }>>(file);
    const kept = state.read({});
    const createdAtSeconds = Math.floor(clock.now() / 1000);
    for (const key of signing) kept[idOf(key)] ??= { privateKey: newPrivateKey(), createdAtSeconds };
    if (signing.length > 0) state.write(kept);
    this.#keys = signing.map((key) => {
      const { privateKey = "", createdAtSeconds = 0 } = kept[idOf(key)] ?? {};
      return {
        id: idOf(key),
        arn: key.arn,
        account: assembly.account,
        description: readProperties(key, KeyProperties).Description,
        createdAtSeconds,
        privateKey: createPrivateKey(privateKey),
      };
    });
  }

  /** What KMS answers to an operation on an asymmetric key, by its name; undefined for one that is not served. Errors: KeyRefusal. */
  answer(operation: string, input: unknown): Record<string, unknown> | undefined {
    switch (operation) {
      case "Sign":
        return this.#sign(read(SignInput, input));
      case "GetPublicKey":
        return this.#publicKey(read(KeyInput, input));
      case "DescribeKey":
        return this.#description(read(KeyInput, input));
      default:
        return undefined;
    }
  }

  #sign({ KeyId, Message, MessageType, SigningAlgorithm }: z.output<typeof SignInput>) {
    const key = this.#find(KeyId);
    const message = Buffer.from(Message, "base64");
    const signature = MessageType === "DIGEST" ? signDigest(key, message) : signText(key, message);
    return { KeyId: key.arn, Signature: signature.toString("base64"), SigningAlgorithm };
  }

  #publicKey({ KeyId }: z.output<typeof KeyInput>) {
    const key = this.#find(KeyId);
    const spki = createPublicKey(key.privateKey).export({ type: "spki", format: "der" });
    return { KeyId: key.arn, PublicKey: spki.toString("base64"), ...specOf };
  }

  #description({ KeyId }: z.output<typeof KeyInput>) {
    const { id, arn, account, description, createdAtSeconds } = this.#find(KeyId);
    return {
      KeyMetadata: {
        AWSAccountId: account,
        KeyId: id,
        Arn: arn,
        CreationDate: createdAtSeconds,
        Description: description,
        Enabled: true,
        KeyState: "Enabled",
        KeyManager: "CUSTOMER",
        Origin: "AWS_KMS",
        MultiRegion: false,
        ...specOf,
      },
    };
  }

  #find(idOrArn: string): SigningKey {
    const key = this.#keys.find(({ id, arn }) => idOrArn === id || idOrArn === arn);
    if (key !== undefined) return key;
    if (this.#symmetric.includes(idOrArn)) {
      throw new KeyRefusal("InvalidKeyUsageException", `${idOrArn} key usage is ENCRYPT_DECRYPT.`);
    }
    throw new KeyRefusal("NotFoundException", `Key '${idOrArn}' does not exist`);
  }
}

function read<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const { success, data, error } = schema.safeParse(input);
  if (success) return data;
  throw new KeyRefusal("ValidationException", z.prettifyError(error));
}

const specOf = {
  KeySpec: "ECC_NIST_P256",
  CustomerMasterKeySpec: "ECC_NIST_P256",
  KeyUsage: "SIGN_VERIFY",
  SigningAlgorithms: ["ECDSA_SHA_256"],
};

function usageOf(key: Resource): string {
  const { KeySpec, KeyUsage } = readProperties(key, KeyProperties);
  if ((KeySpec === "ECC_NIST_P256") !== (KeyUsage === "SIGN_VERIFY")) {
    throw new Error(`${key.logicalId}: a key of ${KeySpec} cannot ${KeyUsage}`);
  }
  return KeyUsage;
}

function idOf({ physicalName }: Resource): string {
  return physicalName;
}

function newPrivateKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

function signText({ privateKey }: SigningKey, text: Buffer): Buffer {
  if (text.length === 0 || text.length > LARGEST_MESSAGE_BYTES) {
    throw new KeyRefusal("ValidationException", "Message must have 1 to 4096 bytes.");
  }
  return sign("sha256", text, privateKey);
}

/** Node hashes whatever it signs. */
function signDigest({ privateKey }: SigningKey, digest: Buffer): Buffer {
  if (digest.length !== DIGEST_BYTES) {
    throw new KeyRefusal("ValidationException", "Digest is invalid length for algorithm ECDSA_SHA_256.");
  }
  const secret = Buffer.from(privateKey.export({ format: "jwk" }).d ?? "", "base64url");
  return Buffer.from(p256.sign(digest, secret, { prehash: false, format: "der" }));
}
