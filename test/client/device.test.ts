import { existsSync } from "node:fs";
import { build } from "esbuild";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createRevealKey, encryptPin, type PublicJwk } from "../../client/device.ts";
import { encryptFor as encryptAsVault } from "../../functions/vault/jwe.ts";
import { type LoopbackServer, startLoopbackServer } from "../../infra/local/loopback-server.ts";
import { encryptFor, givenDevice } from "../harness/given-device.ts";

const card = { cardNumber: "4123450000001239", expiryMonth: 11, expiryYear: 2029, cvv: "042" };
const inSeconds = (seconds: number) => Math.floor(Date.now() / 1000) + seconds;
const revealTo = (key: PublicJwk, exp: unknown = inSeconds(60)) => encryptAsVault(key, card, { exp });

describe("the device's module", () => {
  it("opens what the vault encrypts, once", async () => {
    const { publicKey, open } = await createRevealKey();
    const jwe = revealTo(publicKey);
    expect(await open(jwe)).toEqual(card);
    await expect(open(jwe)).rejects.toThrow("opened a reveal before");
  });

  it("opens one of two calls at the same moment", async () => {
    const { publicKey, open } = await createRevealKey();
    const jwe = revealTo(publicKey);
    const opened = await Promise.allSettled([open(jwe), open(jwe)]);
    expect(opened.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected"]);
  });

  it("opens nothing from the second of its expiry on, nor without one", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 });
    try {
      const { publicKey, open } = await createRevealKey();
      const jwe = revealTo(publicKey, 1_800_000_060);
      await expect(open(revealTo(publicKey, null))).rejects.toThrow("expired");
      vi.setSystemTime(1_800_000_060_000);
      await expect(open(jwe)).rejects.toThrow("expired");
      vi.setSystemTime(1_800_000_059_999);
      expect(await open(jwe)).toEqual(card);
    } finally {
      vi.useRealTimers();
    }
  });

  it("opens nothing that was changed, or encrypted for another key, and can still open its own", async () => {
    const { publicKey, open } = await createRevealKey();
    const own = revealTo(publicKey);
    const [header = "", ...rest] = own.split(".");
    const later = JSON.parse(Buffer.from(header, "base64url").toString());
    const prolonged = Buffer.from(JSON.stringify({ ...later, exp: later.exp + 60 })).toString("base64url");
    for (const jwe of [
      revealTo((await createRevealKey()).publicKey),
      [prolonged, ...rest].join("."),
      await encryptFor(publicKey, card),
    ])
      await expect(open(jwe)).rejects.toThrow();
    expect(await open(own)).toEqual(card);
  });

  it("encrypts a PIN with a new nonce for the vault's key, as JOSE says", async () => {
    const vault = await givenDevice();
    const contents = await Promise.all(
      [1, 2].map(async () => (await vault.open(await encryptPin(vault.publicKey, "8271"))).content),
    );
    expect(contents.map(({ pin }) => pin)).toEqual(["8271", "8271"]);
    const nonces = contents.map(({ nonce }) => nonce);
    expect(new Set(nonces).size).toBe(2);
    for (const nonce of nonces) expect(nonce).toMatch(/^[\w-]{22}$/);
  });

  it("binds a PIN to its Card, and hides how many digits it has", async () => {
    const vault = await givenDevice();
    const jwes = await Promise.all(
      ["8271", "82719", "827193"].map((pin) => encryptPin(vault.publicKey, pin, "crd_1")),
    );
    expect(new Set(jwes.map((jwe) => jwe.split(".")[3]?.length)).size).toBe(1);
    const contents = await Promise.all(jwes.map(async (jwe) => (await vault.open(jwe)).content));
    expect(contents.map(({ pin, cardId }) => [pin, cardId])).toEqual([
      ["8271", "crd_1"],
      ["82719", "crd_1"],
      ["827193", "crd_1"],
    ]);
    for (const { nonce } of contents) expect(nonce.length).toBeGreaterThanOrEqual(20);
  });
});

/** Debian's package `chromium`; without it the module is tested in Node alone. */
const executablePath = "/usr/bin/chromium";

describe.skipIf(!existsSync(executablePath))("the device's module in Chromium", () => {
  let browser: Browser;
  let server: LoopbackServer;

  beforeAll(async () => {
    const entry = new URL("../../client/device.ts", import.meta.url).pathname;
    const { outputFiles } = await build({
      ...{ entryPoints: [entry], bundle: true, format: "esm", platform: "browser", write: false },
    });
    server = await startLoopbackServer((request, response) => {
      const isModule = request.url === "/device.js";
      response.setHeader("content-type", isModule ? "text/javascript" : "text/html");
      response.end(isModule ? outputFiles[0]?.text : "<!doctype html><title>device</title>");
    });
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
    browser = await chromium.launch({ executablePath, args });
  });
  afterAll(async () => {
    await browser.close();
    await server.stop();
  });

  async function givenPage() {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.addScriptTag({
      type: "module",
      content: 'import * as device from "/device.js"; globalThis.device = device;',
    });
    await page.waitForFunction("globalThis.device !== undefined");
    return page;
  }

  it("opens what the vault encrypts, once, and keeps the private key from the page", async () => {
    const page = await givenPage();
    const publicKey = await page.evaluate<PublicJwk>(
      "device.createRevealKey().then((key) => { globalThis.key = key; return key.publicKey; })",
    );
    expect(Object.keys(publicKey).toSorted()).toEqual(["crv", "kty", "x", "y"]);
    const open = (jwe: string) => page.evaluate(`key.open(${JSON.stringify(jwe)})`);
    await expect(open(revealTo(publicKey, inSeconds(-1)))).rejects.toThrow("expired");
    const jwe = revealTo(publicKey);
    expect(await open(jwe)).toEqual(card);
    await expect(open(jwe)).rejects.toThrow("opened a reveal before");
  });

  it("encrypts a PIN for the vault's key", async () => {
    const page = await givenPage();
    const vault = await givenDevice();
    const key = JSON.stringify(vault.publicKey);
    const encrypt = (more: string) => page.evaluate<string>(`device.encryptPin(${key}, "8271"${more})`);
    const content = { pin: "8271", nonce: expect.any(String) };
    expect((await vault.open(await encrypt(""))).content).toEqual(content);
    expect((await vault.open(await encrypt(', "crd_1"'))).content).toEqual({ ...content, cardId: "crd_1" });
  });
});
