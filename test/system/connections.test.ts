import { existsSync } from "node:fs";
import { chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Platform } from "../../infra/development/platform.ts";
import { signatureHeaders } from "../../shared/platform/callbacks/signature.ts";
import { givenCard, givenCardholder } from "../harness/given-cards.ts";
import type { LiveProgram } from "../harness/given-live-program.ts";
import {
  basicAuthorization,
  jitRequest,
  marqetaTransaction,
  marqetaWebhook,
} from "../harness/marqeta-messages.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { advanceClock } from "../harness/recordings.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** Debian's package `chromium`; without it the page is only requested. */
const executablePath = "/usr/bin/chromium";
const connections = "/account/programs/{programId}/connections" as const;

describe("connected parties", () => {
  let given: GivenPlatform;
  let platform: Platform;
  let program: LiveProgram;
  let provider: Receiver;

  beforeAll(async () => {
    provider = await startReceiver();
    given = await givenPlatform({ receivers: [provider.origin] });
    ({ platform, program } = given);
  });
  afterAll(async () => {
    await given?.stop();
    await provider?.stop();
  });

  const connect = async (body: object) => {
    const { programId } = program;
    const answer = await program.call(`POST ${connections}`, { path: { programId }, body });
    expect(answer.status).toBe(200);
    return answer.body.data as { webhookUrl: string; secret: string };
  };
  const balance = async (cardId: string) =>
    (await program.call("GET /cards/{cardId}/balance", { path: { cardId } })).body.data;

  it("a card processor's webhooks move money, without client certificate and key", async () => {
    const { webhookUrl, secret } = await connect({ port: "processor", adapter: "marqeta" });
    expect(webhookUrl.startsWith(`${platform.connection.webhookBaseUrl}/`)).toBe(true);
    const post = async (body: string, headers: Record<string, string> = basicAuthorization(secret)) => {
      const answer = await fetch(webhookUrl, { method: "POST", headers, body });
      return { status: answer.status, body: (await answer.json()) as { jit_funding?: object } };
    };
    const { cardId, cardToken } = await givenCard(program);
    const path = { cardId };
    await program.call("POST /cards/{cardId}/deposits", { path, body: { amount: 10_000, pending: false } });
    const asked = await post(jitRequest(cardToken as string, "live-1", 2_500));
    expect(asked).toMatchObject({ status: 200, body: { jit_funding: { amount: 25 } } });
    expect(await balance(cardId)).toMatchObject({ availableBalance: 7_500, ledgerBalance: 10_000 });
    const held = marqetaTransaction(cardToken as string, "live-1", 2_500);
    const cleared = marqetaTransaction(cardToken as string, "live-2", 2_400, {
      type: "authorization.clearing",
      state: "COMPLETION",
      preceding: "live-1",
    });
    for (let time = 0; time < 2; time += 1)
      expect((await post(marqetaWebhook(held, cleared))).status).toBe(200);
    await platform.settled();
    expect(await balance(cardId)).toMatchObject({ availableBalance: 7_600, ledgerBalance: 7_600 });
    expect((await post(marqetaWebhook(cleared), {})).status).toBe(401);
    expect((await post("{")).status).toBe(400);
    const { items } = await program.operate("list-refused", {});
    expect(items[0]).toMatchObject({ port: "processor", programId: program.programId });
  });

  const submitted = async () => {
    const cardholderId = await givenCardholder(program);
    const path = { cardholderId };
    const { body } = await program.call("POST /cardholders/{cardholderId}/submit", { path, body: {} });
    const view = async () => (await program.call("GET /cardholders/{cardholderId}", { path })).body.data;
    return { kycUrl: body.data.kycUrl as string, view };
  };

  it("the compliance provider of this machine has a page without scripts", async () => {
    const { kycUrl, view } = await submitted();
    const page = await fetch(kycUrl);
    expect(page.status).toBe(200);
    const html = await page.text();
    expect(html).toContain('<form method="post">');
    for (const outcome of ["approved", "declined", "error", "documents_required"])
      expect(html).toContain(`name="outcome" value="${outcome}"`);
    const post = (outcome: string) =>
      fetch(kycUrl, { method: "POST", body: new URLSearchParams({ outcome }) });
    expect((await post("perhaps")).status).toBe(422);
    expect((await post("documents_required")).status).toBe(200);
    expect(await view()).toMatchObject({ status: 3, kycUrl, kycRequirement: "documents" });
    expect((await post("approved")).status).toBe(200);
    expect(await view()).toMatchObject({ status: 1 });
    expect((await post("declined")).status).toBe(404);
    expect((await fetch(`${kycUrl.slice(0, -1)}~`)).status).toBe(404);
  });

  it.skipIf(!existsSync(executablePath))("a person decides on it in a browser", async () => {
    const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
    const browser = await chromium.launch({ executablePath, args });
    try {
      const page = await browser.newPage();
      const complaints: string[] = [];
      page.on("console", (message) => complaints.push(message.text()));
      const { kycUrl, view } = await submitted();
      await page.goto(kycUrl);
      await page.getByRole("button", { name: "Ask for documents" }).click();
      expect(await page.locator("#outcome").textContent()).toBe("Ask for documents");
      expect(await view()).toMatchObject({ status: 3, kycRequirement: "documents" });
      await page.goto(kycUrl);
      await page.getByRole("button", { name: "Approve" }).click();
      expect(await page.getByRole("heading").textContent()).toBe("Thank you");
      expect(await view()).toMatchObject({ status: 1 });
      await page.goto(kycUrl);
      expect(await page.getByRole("heading").textContent()).toContain("is over");
      expect(complaints.filter((text) => !/favicon|404/.test(text))).toEqual([]);
    } finally {
      await browser.close();
    }
  });

  it("a compliance provider is called, also after it was down, and decides by webhook", async () => {
    const url = `${provider.origin}/kyc`;
    const { webhookUrl, secret } = await connect({ port: "compliance", adapter: "http", url });
    provider.behave((_, response) => response.writeHead(503).end());
    const { kycUrl, view } = await submitted();
    expect(kycUrl).toBeUndefined();
    provider.behave((_, response) => response.end(JSON.stringify({ kycUrl: "https://kyc.example.com/1" })));
    await advanceClock(platform.connection, "1m");
    await platform.settled();
    expect(await view()).toMatchObject({ status: 3, kycUrl: "https://kyc.example.com/1" });
    expect(new Set(provider.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
    const { sessionId } = JSON.parse(String(provider.received.at(-1)?.body));
    const body = JSON.stringify({ type: "kyc.outcome", eventId: "o-1", sessionId, outcome: "approved" });
    const now = new Date(platform.clock.now());
    const headers = signatureHeaders("o-1", Buffer.from(body), [secret], now);
    const post = () => fetch(webhookUrl, { method: "POST", headers, body });
    expect([(await post()).status, (await post()).status]).toEqual([200, 200]);
    expect(await view()).toMatchObject({ status: 1 });
  });

  it("the webhook host has nothing else, and the API's host no webhooks", async () => {
    const { webhookBaseUrl } = platform.connection;
    for (const path of ["/wallets", "/connections", "/kyc"])
      expect((await fetch(`${webhookBaseUrl}${path}`)).status).toBe(404);
  });
});
