import "reflect-metadata";
import {
  constants,
  createDecipheriv,
  createHash,
  generateKeyPairSync,
  privateDecrypt,
  webcrypto,
} from "node:crypto";
import {
  BasicConstraintsExtension,
  Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { walletPayloads } from "../../../functions/vault/items.ts";
import { deriveKey } from "../../../functions/vault/wallets/pass-data.ts";
import { hashActivation } from "../../../functions/vault/wallets/provision.ts";
import type { ApplePayload, WalletPayload } from "../../../shared/contract/wallet-payloads.ts";
import { injectFaults } from "../../harness/faults.ts";
import { givenVaultCard, revealTo } from "../../harness/given-device.ts";
import { vault } from "../../harness/given-vault.ts";
import { startKeyServer } from "../../harness/key-server.ts";

const { subtle } = webcrypto;
const ecdsa = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const leafExtension = "2.25.1";

interface Choices {
  readonly notAfter?: string;
  readonly isIssuerAuthority?: boolean;
  readonly extension?: string | undefined;
  readonly curve?: string;
  readonly otherIssuerKey?: boolean;
}

/** Apple's wallet, with a root of its own, made without the platform's code. */
async function givenAppleWallet(choices: Choices = {}) {
  const { notAfter = "2090-01-01", isIssuerAuthority = true, curve = "P-256" } = choices;
  const extension = "extension" in choices ? choices.extension : leafExtension;
  const pair = (namedCurve = "P-256") =>
    subtle.generateKey({ ...ecdsa, namedCurve }, true, [
      "sign",
      "verify",
    ]) as Promise<webcrypto.CryptoKeyPair>;
  const [root, issuer, leaf, other] = [await pair(), await pair(), await pair(curve), await pair()];
  const make = (
    subject: string,
    by: string,
    keys: webcrypto.CryptoKeyPair,
    signer: webcrypto.CryptoKeyPair,
    extensions: Extension[],
  ) =>
    X509CertificateGenerator.create({
      ...{ subject, issuer: by, publicKey: keys.publicKey, signingKey: signer.privateKey, extensions },
      notBefore: new Date("2020-01-01"),
      notAfter: new Date(subject === "CN=Leaf" ? notAfter : "2090-01-01"),
      signingAlgorithm: ecdsa,
    });
  const authority = [
    new BasicConstraintsExtension(true, undefined, true),
    new KeyUsagesExtension(KeyUsageFlags.keyCertSign, true),
  ];
  const rootCertificate = await make("CN=Root", "CN=Root", root, root, authority);
  const issuerCertificate = await make(
    "CN=Issuer",
    "CN=Root",
    issuer,
    root,
    isIssuerAuthority ? authority : [],
  );
  const leafCertificate = await make(
    ...(["CN=Leaf", "CN=Issuer", leaf, choices.otherIssuerKey ? other : issuer] as const),
    extension === undefined ? [] : [new Extension(extension, false, Uint8Array.of(5, 0))],
  );
  const base64 = ({ rawData }: { rawData: ArrayBuffer }) => Buffer.from(rawData).toString("base64");
  const pkcs8 = await subtle.exportKey("pkcs8", leaf.privateKey);
  return {
    settings: { applePay: { roots: [rootCertificate.toString("pem")], leafExtension } },
    certificates: [base64(leafCertificate), base64(issuerCertificate)],
    open: (payload: WalletPayload) => openWithWebCrypto(pkcs8, payload as never),
  };
}

/** ECDH and GCM are Web Crypto's, and the key is derived by the text of SEC 1, for one block. */
async function openWithWebCrypto(pkcs8: ArrayBuffer, payload: typeof ApplePayload._output) {
  const ecdh = { name: "ECDH", namedCurve: "P-256" };
  const ephemeral = Buffer.from(payload.ephemeralPublicKey, "base64");
  const own = await subtle.importKey("pkcs8", pkcs8, ecdh, false, ["deriveBits"]);
  const sender = await subtle.importKey("raw", ephemeral, ecdh, false, []);
  const secret = Buffer.from(await subtle.deriveBits({ name: "ECDH", public: sender }, own, 256));
  const hashed = Buffer.concat([
    secret,
    Buffer.from("00000001", "hex"),
    Buffer.from("\x0did-aes256-GCMApple"),
    ephemeral,
  ]);
  const key = await subtle.importKey("raw", await subtle.digest("SHA-256", hashed), "AES-GCM", false, [
    "decrypt",
  ]);
  const sealed = Buffer.from(payload.encryptedPassData, "base64");
  const opened = await subtle.decrypt({ name: "AES-GCM", iv: Buffer.alloc(16) }, key, sealed);
  return JSON.parse(Buffer.from(opened).toString());
}

function useWallets(settings: object): void {
  vi.stubEnv("WALLETS", JSON.stringify(settings));
}
beforeAll(startKeyServer);
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const nameOnCard = "ADA LOVELACE";
const proof = { nonce: "9C023092", nonceSignature: "4082F883AE62D0700C283E225EE9D286713EF74456BA1F07" };

async function provision(card: ReturnType<typeof givenVaultCard>, certificates: string[], given = proof) {
  const request = { wallet: "apple_pay" as const, certificates, ...given };
  return vault("provision", { ...card, nameOnCard, request });
}

async function requirePayload(answer: ReturnType<typeof provision>): Promise<WalletPayload> {
  const given = await answer;
  if (given.outcome !== "provisioned") throw new Error(given.outcome);
  return given.payload;
}

describe("the key derivation of ANSI X9.63", () => {
  // NIST's Cryptographic Algorithm Validation Program, ANS X9.63-2001 with SHA-256.
  it.each([
    ["96c05619d56c328ab95fe84b18264b08725b85e33fd34f08", "", "443024c3dae66b95e6f5670601558f71"],
    [
      "22518b10e70f2a3f243810ae3254139efbee04aa57c7af7d",
      "75eef81aa3041e33b80971203d2c0c52",
      "c498af77161cc59f2962b9a713e2b215152d139766ce34a776df11866a69bf2e52a13d9c7c6fc878c50c5ea0bc7b00e0da2447cfd874f6cf92f30d0097111485500c90c3af8b487872d04685d14c8d1dc8d7fa08beb0ce0ababc11f0bd496269142d43525a78e5bc79a17f59676a5706dc54d54d4d1f0bd7e386128ec26afc21",
    ],
  ])("of %s", (secret, info, key) => {
    const derived = deriveKey(Buffer.from(secret, "hex"), Buffer.from(info, "hex"), key.length / 2);
    expect(derived.toString("hex")).toBe(key);
  });
});

describe("provision for Apple Pay", () => {
  it("encrypts number, expiry, name and nonce for the certificate's key alone", async () => {
    const wallet = await givenAppleWallet();
    useWallets(wallet.settings);
    const card = givenVaultCard();
    const payload = await requirePayload(provision(card, wallet.certificates));
    const { cardNumber } = await revealTo(card);
    expect(await wallet.open(payload)).toEqual({
      primaryAccountNumber: cardNumber,
      expiration: "11/29",
      name: nameOnCard,
      nonce: "9c023092",
      nonceSignature: proof.nonceSignature.toLowerCase(),
    });
    expect(JSON.stringify(payload)).not.toContain(cardNumber);
    await expect((await givenAppleWallet()).open(payload)).rejects.toThrow();
  });

  it("makes a key and a secret for each payload", async () => {
    const wallet = await givenAppleWallet();
    useWallets(wallet.settings);
    const card = givenVaultCard();
    const one = await requirePayload(provision(card, wallet.certificates));
    const two = await requirePayload(provision(card, wallet.certificates));
    for (const [name, value] of Object.entries(one)) expect(value).not.toBe((two as never)[name]);
  });

  it.each<[string, Choices, number]>([
    ["a leaf that was valid", { notAfter: "2021-01-01" }, 0],
    ["a leaf of another key than its issuer's", { otherIssuerKey: true }, 0],
    ["a leaf for another purpose under the same root", { extension: undefined }, 0],
    ["a leaf of another curve", { curve: "P-384" }, 0],
    ["an issuer that is no authority", { isIssuerAuthority: false }, 1],
  ])("refuses %s", async (_, choices, place) => {
    const wallet = await givenAppleWallet(choices);
    useWallets(wallet.settings);
    expect(await provision(givenVaultCard(), wallet.certificates)).toMatchObject({
      outcome: "certificate-invalid",
      place,
    });
  });

  it("refuses certificates under another root of the same name, and what is none", async () => {
    const [wallet, other] = [await givenAppleWallet(), await givenAppleWallet()];
    useWallets(wallet.settings);
    const [leaf = "", issuer = ""] = wallet.certificates;
    const card = givenVaultCard();
    expect(await provision(card, other.certificates)).toMatchObject({ place: 1 });
    expect(await provision(card, [issuer, leaf])).toMatchObject({ outcome: "certificate-invalid" });
    expect(await provision(card, ["AAAA", issuer])).toMatchObject({
      place: 0,
      reason: "is no X.509 certificate",
    });
    expect(await provision(card, [leaf, "AAAA"])).toMatchObject({
      place: 1,
      reason: "is no X.509 certificate",
    });
  });

  it("is refused where no wallet is known", async () => {
    const wallet = await givenAppleWallet();
    useWallets({});
    expect(await provision(givenVaultCard(), wallet.certificates)).toEqual({ outcome: "wallet-not-set-up" });
    await expect(vault("sandbox-wallet", {})).rejects.toThrow();
  });

  it("counts as a reveal: ten of both within a minute, also at once", async () => {
    const wallet = await givenAppleWallet();
    useWallets(wallet.settings);
    const card = givenVaultCard();
    await revealTo(card);
    const answers = await Promise.all(Array.from({ length: 12 }, () => provision(card, wallet.certificates)));
    expect(answers.filter(({ outcome }) => outcome === "provisioned")).toHaveLength(9);
    expect(answers.filter(({ outcome }) => outcome === "limited")).toHaveLength(3);
  });
});

describe("provision for Google Pay", () => {
  it("makes a JWE for the network's key, in Visa's form", async () => {
    const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
    const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
    useWallets({ googlePay: { keyId: "key of the network", publicKey: pem } });
    const card = givenVaultCard();
    const request = {
      wallet: "google_pay",
      clientDeviceId: "dev-1",
      clientWalletAccountId: "acc-1",
    } as const;
    const payload = await requirePayload(vault("provision", { ...card, nameOnCard, request }));
    const [header = "", ...parts] = (payload as { opaquePaymentCard: string }).opaquePaymentCard.split(".");
    const [wrapped, iv, sealed, tag] = parts.map((part) => Buffer.from(part, "base64url")) as [
      Buffer,
      Buffer,
      Buffer,
      Buffer,
    ];
    const key = privateDecrypt(
      { key: privateKey, oaepHash: "sha256", padding: constants.RSA_PKCS1_OAEP_PADDING },
      wrapped,
    );
    const decipher = createDecipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(header)).setAuthTag(tag);
    const content = JSON.parse(Buffer.concat([decipher.update(sealed), decipher.final()]).toString());
    expect(content).toEqual({
      accountNumber: (await revealTo(card)).cardNumber,
      name: nameOnCard,
      expirationDate: { month: "11", year: "2029" },
      provider: { intent: "PUSH_PROV_MOBILE", clientWalletAccountID: "acc-1", clientDeviceID: "dev-1" },
      activationData: expect.stringMatching(/^[\w+/]{43}=$/),
    });
    expect(JSON.parse(Buffer.from(header, "base64url").toString())).toEqual({
      ...{ alg: "RSA-OAEP-256", enc: "A256GCM", kid: "key of the network", typ: "JOSE" },
      iat: expect.stringMatching(/^\d{13}$/),
    });
  });
});

describe("the sandbox's wallet", () => {
  async function givenPayload(card = givenVaultCard()) {
    const { certificates, nonce, nonceSignature } = await vault("sandbox-wallet", {});
    const payload = await requirePayload(provision(card, certificates, { nonce, nonceSignature }));
    const open = (programId = card.programId, given: WalletPayload = payload) =>
      vault("open-payload", { programId, payload: given });
    return { card, payload, open };
  }
  const googlePayload = (card: ReturnType<typeof givenVaultCard>) => {
    const request = { wallet: "google_pay", clientDeviceId: "d", clientWalletAccountId: "a" } as const;
    return requirePayload(vault("provision", { ...card, nameOnCard, request }));
  };

  it("has the same certificates for all, and a new nonce each time", async () => {
    const [one, two] = await Promise.all([vault("sandbox-wallet", {}), vault("sandbox-wallet", {})]);
    expect(one.certificates).toEqual(two.certificates);
    expect(one.nonce).not.toBe(two.nonce);
  });

  it("opens a payload of each wallet once, also of many at once", async () => {
    const { card, open } = await givenPayload();
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => open()));
    const opened = { outcome: "opened", programId: card.programId, cardId: card.cardId };
    expect(outcomes.filter(({ outcome }) => outcome === "opened")).toEqual([
      { ...opened, wallet: "apple_pay" },
    ]);
    expect(outcomes.filter(({ outcome }) => outcome === "used")).toHaveLength(5);
    const payload = await googlePayload(card);
    expect(await open(card.programId, payload)).toEqual({ ...opened, wallet: "google_pay" });
    expect(await open(card.programId, payload)).toEqual({ outcome: "used" });
  });

  it("opens it for ten minutes", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
    const [one, two] = [await givenPayload(), await givenPayload()];
    vi.setSystemTime(Date.now() + 10 * 60_000);
    expect(await one.open()).toMatchObject({ outcome: "opened" });
    vi.setSystemTime(Date.now() + 1);
    expect(await two.open()).toEqual({ outcome: "expired" });
  });

  it("opens none of another Program, and none that was changed or put together", async () => {
    const [one, two] = [await givenPayload(), await givenPayload()];
    const payload = one.payload as typeof ApplePayload._output;
    const other = two.payload as typeof ApplePayload._output;
    const changed = Buffer.from(payload.encryptedPassData, "base64");
    changed[0] = (changed[0] ?? 0) ^ 1;
    const unreadable = { outcome: "unreadable" };
    expect(await one.open(two.card.programId)).toEqual(unreadable);
    for (const part of [
      { encryptedPassData: changed.toString("base64") },
      { encryptedPassData: "AAAA" },
      { ephemeralPublicKey: other.ephemeralPublicKey },
      { ephemeralPublicKey: "AAAA" },
      { activationData: other.activationData },
      { activationData: "AAAA" },
    ])
      expect(await one.open(one.card.programId, { ...payload, ...part }), JSON.stringify(part)).toEqual(
        unreadable,
      );
    expect(await one.open(one.card.programId, { opaquePaymentCard: "YQ.YQ.YQ.YQ.YQ" })).toEqual(unreadable);
    expect(await one.open()).toMatchObject({ outcome: "opened" });
  });

  it("knows its own nonces", async () => {
    const card = givenVaultCard();
    const { certificates, nonce } = await vault("sandbox-wallet", {});
    const { nonceSignature } = await vault("sandbox-wallet", {});
    const payload = await requirePayload(provision(card, certificates, { nonce, nonceSignature }));
    const answer = await vault("open-payload", { programId: card.programId, payload });
    expect(answer).toEqual({ outcome: "nonce-unknown" });
  });

  it("stores a hash of the secret, and no number", async () => {
    const { card, payload } = await givenPayload();
    const { activationData } = payload as typeof ApplePayload._output;
    const stored = await walletPayloads.at(hashActivation(activationData)).require();
    expect(Object.keys(stored).toSorted()).toEqual([
      "cardId",
      "expiresAtSeconds",
      "goodUntil",
      "programId",
      "wallet",
    ]);
    expect(stored.cardId).toBe(card.cardId);
    expect(hashActivation(activationData)).toBe(
      createHash("sha256").update(activationData).digest("base64url"),
    );
  });

  it("uses a payload up once where the write's answer was lost", async () => {
    const { open } = await givenPayload();
    using _ = injectFaults(({ command, number }) =>
      command === "UpdateItem" && number < 40 ? "timeout-after-commit" : undefined,
    );
    const first = await open().catch((error: Error) => error.name);
    expect([first, await open()]).toContainEqual({ outcome: "used" });
  });
});
