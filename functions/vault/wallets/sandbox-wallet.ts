import "../../../shared/platform/reflect.ts";
import {
  createHmac,
  createPrivateKey,
  generateKeyPairSync,
  type KeyObject,
  timingSafeEqual,
  type webcrypto,
} from "node:crypto";
import {
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { environment } from "../../../shared/platform/environment.ts";
import { randomToken } from "../../../shared/platform/id.ts";
import type { Command } from "../command.ts";
import { sandboxWallets } from "../items.ts";
import { open, seal } from "../keys.ts";
import { WalletSettings } from "./settings.ts";

/** The sandbox's wallet, in Apple's and Google's place. Its private keys never leave the vault. */

const binding = { purpose: "sandbox-wallet" };
const leafExtension = "2.25.50237109";

/** Longer than any sandbox lives, also one whose clock is moved. */
const validity = { notBefore: new Date("2020-01-01T00:00:00Z"), notAfter: new Date("2099-12-31T00:00:00Z") };

/** By what it is known, as Apple and Google would be. */
export async function sandboxSettings(): Promise<WalletSettings> {
  const { root, googleKey } = await requireWallet();
  return {
    applePay: { roots: [root], leafExtension },
    googlePay: { keyId: "sandbox", publicKey: googleKey },
  };
}

export const viewSandboxWallet: Command<"sandbox-wallet"> = async () => {
  const { leaf, issuer, secrets } = await requireWallet();
  const nonce = Buffer.from(randomToken(16), "base64url");
  const { nonceKey } = await openSecrets(secrets);
  const nonceSignature = sign(nonceKey, nonce).toString("hex");
  return { certificates: [leaf, issuer], nonce: nonce.toString("hex"), nonceSignature };
};

export async function sandboxKeys() {
  const { apple, google, nonceKey } = await openSecrets((await requireWallet()).secrets);
  const isNonce = (nonce: string, signature: string) => {
    const [right, given] = [sign(nonceKey, Buffer.from(nonce, "hex")), Buffer.from(signature, "hex")];
    return right.length === given.length && timingSafeEqual(right, given);
  };
  return { apple: Buffer.from(apple, "base64url"), google: createPrivateKey(google), isNonce };
}

function sign(key: string, nonce: Uint8Array): Buffer {
  return createHmac("sha256", Buffer.from(key, "base64url")).update(nonce).digest();
}

interface Secrets {
  /** The leaf's private key: a number of the curve. */
  readonly apple: string;
  /** PEM. */
  readonly google: string;
  readonly nonceKey: string;
}

async function openSecrets(secrets: Parameters<typeof open>[0]): Promise<Secrets> {
  return JSON.parse((await open(secrets, binding)).toString());
}

/** Drawn when it is first needed. Of two that draw at once, both get the one stored first. */
async function requireWallet() {
  if (!WalletSettings.parse(environment.wallets).isSimulated) throw new Error("There is no sandbox here.");
  const item = sandboxWallets.at();
  const stored = await item.get();
  if (stored !== undefined) return stored;
  const { secrets, ...known } = await drawWallet();
  await item.createNow({ ...known, secrets: await seal(Buffer.from(JSON.stringify(secrets)), binding) });
  return item.require();
}

async function drawWallet() {
  const [rootKeys, issuerKeys, leafKeys] = await Promise.all([drawPair(), drawPair(), drawPair()]);
  const names = {
    root: "CN=Sandbox Wallet Root",
    issuer: "CN=Sandbox Wallet Issuer",
    leaf: "CN=Sandbox Wallet",
  };
  const ofAuthority = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
  ];
  const certify = (subject: string, issuer: string, keys: Pair, signer: Pair, extensions: Extension[]) =>
    X509CertificateGenerator.create({
      serialNumber: Buffer.from(randomToken(8), "base64url").toString("hex"),
      ...validity,
      ...{ subject, issuer, publicKey: keys.publicKey, signingKey: signer.privateKey, extensions },
      signingAlgorithm: { name: "ECDSA", hash: "SHA-256" },
    });
  const [root, issuer, leaf] = await Promise.all([
    certify(names.root, names.root, rootKeys, rootKeys, ofAuthority),
    certify(names.issuer, names.root, issuerKeys, rootKeys, ofAuthority),
    certify(names.leaf, names.issuer, leafKeys, issuerKeys, [
      new KeyUsagesExtension(KeyUsageFlags.keyAgreement, true),
      new Extension(leafExtension, false, Buffer.of(5, 0)),
    ]),
  ]);
  const google = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const secrets: Secrets = {
    apple: leafKeys.secret,
    google: google.privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    nonceKey: randomToken(32),
  };
  const googleKey = google.publicKey.export({ type: "spki", format: "pem" }).toString();
  return { root: root.toString("pem"), issuer: base64(issuer), leaf: base64(leaf), googleKey, secrets };
}

const base64 = (one: X509Certificate) => Buffer.from(one.rawData).toString("base64");

interface Pair {
  readonly publicKey: webcrypto.CryptoKey;
  readonly privateKey: webcrypto.CryptoKey;
  readonly secret: string;
}

async function drawPair(): Promise<Pair> {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const bytes = (key: KeyObject, type: "spki" | "pkcs8") =>
    new Uint8Array(key.export({ type, format: "der" }) as Buffer);
  return {
    publicKey: await crypto.subtle.importKey("spki", bytes(publicKey, "spki"), algorithm, true, ["verify"]),
    privateKey: await crypto.subtle.importKey("pkcs8", bytes(privateKey, "pkcs8"), algorithm, true, ["sign"]),
    secret: privateKey.export({ format: "jwk" }).d ?? "",
  };
}
