import { existsSync } from "node:fs";
import { join } from "node:path";
import { GetQueueUrlCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { ada, givenCard, givenWallet } from "../harness/given-cards.ts";
import { demoProgram, type LiveProgram } from "../harness/given-live-program.ts";
import { type Receiver, startReceiver } from "../harness/receiver.ts";
import { type GivenPlatform, givenPlatform } from "./given-platform.ts";

/** Debian's package `chromium`; without it the pages are read, though not shown. */
const executablePath = "/usr/bin/chromium";
/** Where to put pictures of the pages for the documentation. */
const pictures = process.env.SCREENSHOTS;

let given: GivenPlatform;
let receiver: Receiver;
let program: LiveProgram;
let browser: Browser | undefined;
let card: { readonly cardId: string };
let longNamed: string;
let walletId: string;
let transIdSc: string;
const consoleUrl = () => given.connection.consoleUrl;

/** What the browser's console had, and requests that failed or went elsewhere. */
const complaints: string[] = [];

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  if (!browser) throw new Error("There is no browser.");
  const context = await browser.newContext({ viewport: { width: 1024, height: 640 }, ...options });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  page.on("request", (request) => {
    const isOwn = request.url().startsWith(given.connection.controlUrl) || request.url() === "data:,";
    if (!isOwn) complaints.push(`It asked for ${request.url()}.`);
  });
  page.on("response", (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  return page;
}

async function follow(page: Page, name: string | RegExp): Promise<void> {
  await page.getByRole("link", { name }).first().click();
}

beforeAll(async () => {
  receiver = await startReceiver();
  receiver.behave((_, response) => response.writeHead(503).end());
  given = await givenPlatform({ receivers: [receiver.origin] });
  program = demoProgram(given.connection);
  const { call } = program;
  await call("POST /webhooks", { body: { url: `${receiver.origin}/hook`, eventTypes: [1, 2, 3, 4] } });
  card = await givenCard(program);
  walletId = await givenWallet(program, 250_000);
  const { cardId } = card;
  longNamed = (await call("POST /cardholders", { body: { ...ada, lastName: "Lange".repeat(12) } })).body.data
    .cardholderId;
  const load = { sourceWalletId: walletId, destinationType: 1, destinationId: cardId, amount: 80_000 };
  await call("POST /wallets/transfer", { body: load });
  for (const [merchantName, amount] of [
    ["Corner Shop", 1_250],
    ["Book Shop", 4_300],
    ["Railway", 8_990],
  ] as const) {
    const body = { amount, merchantName, merchantCity: "Berlin", mcc: "5411" };
    const placed = await call("POST /cards/{cardId}/authorizations", { path: { cardId }, body });
    const path = { authorizationId: placed.body.data.authorizationId };
    if (amount !== 8_990) await call("POST /authorizations/{authorizationId}/clear", { path, body: {} });
  }
  const sent = await call("GET /webhooks/events");
  transIdSc = sent.body.items[0].transIdSc;
  const attempts = () => call("GET /webhooks/events/{transIdSc}/attempts", { path: { transIdSc } });
  while ((await attempts()).body.total === 0) await new Promise((resolve) => setTimeout(resolve, 500));
  await addDeadLetter();
  if (!existsSync(executablePath)) return;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath, args });
}, 400_000);
afterAll(async () => {
  await browser?.close();
  await given?.stop();
  await receiver?.stop();
});

async function addDeadLetter(): Promise<void> {
  const { processorQueueUrl, store, programId } = given.connection;
  const { origin: endpoint } = new URL(processorQueueUrl);
  const credentials = { accessKeyId: "local", secretAccessKey: "local" };
  const sqs = new SQSClient({ endpoint, region: store.region, credentials });
  const { QueueUrl = "" } = await sqs.send(
    new GetQueueUrlCommand({ QueueName: "card-issuing-local-processor-events-dead-letters" }),
  );
  const MessageBody = JSON.stringify({ kind: "clearing", programId, secretPart: "not-to-be-shown" });
  await sqs.send(new SendMessageCommand({ QueueUrl: endpoint + new URL(QueueUrl).pathname, MessageBody }));
  sqs.destroy();
}

const read = async (path: string) => {
  const response = await fetch(consoleUrl() + path, { headers: { accept: "application/json" } });
  return { status: response.status, text: await response.text() };
};

describe("the console of the running platform", () => {
  it("is served by the control port from the first request on", async () => {
    const { status, text } = await read("/tenants");
    expect([status, text.includes(given.connection.tenantId)]).toEqual([200, true]);
    expect((await fetch(consoleUrl(), { method: "POST", body: "x" })).status).toBe(405);
  });

  it("shows dead letters by queue: owners, never contents", async () => {
    expect((await read("/dead-letters")).text).toContain("processor-events");
    const { text } = await read("/dead-letters/processor-events");
    expect(text).toContain(given.connection.programId);
    expect(text).not.toContain("not-to-be-shown");
    // It is visible again: a second look finds it too.
    expect((await read("/dead-letters/processor-events")).text).toContain(given.connection.programId);
  });

  it("shows deadlines, open holds and the attempts of a delivery", async () => {
    const { programId } = given.connection;
    expect((await read("/deadlines?priority=normal")).text).toContain("Walk changes");
    expect((await read(`/programs/${programId}/lists/authorizations?status=pending`)).text).toContain(
      "89.90 USD",
    );
    expect((await read(`/programs/${programId}/cards/${card.cardId}/holds`)).text).toContain("89.90 USD");
    expect((await read(`/programs/${programId}/notifications/${transIdSc}`)).text).toContain(
      "Delivery attempts",
    );
  });
});

describe("in a browser", () => {
  it("leads from the Program to a Card, its statement and a journal entry", async () => {
    if (!browser) return expect((await read("")).status).toBe(200);
    const page = await open();
    await page.goto(`${consoleUrl()}/tenants/${given.connection.tenantId}`);
    const programs = page.getByRole("region", { name: "Programs" });
    await programs.locator(`a[href$="${given.connection.programId}"]`).first().click();
    await follow(page, "Cards");
    await page.locator(`a[href$="${card.cardId}"]`).first().click();
    // Its name comes first, and its id is further down.
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(/^Card •••• \d{4}, /);
    expect(await page.getByRole("main").textContent()).toContain(card.cardId);
    await follow(page, "Transactions");
    await page
      .getByRole("row", { name: /Corner Shop/ })
      .getByRole("link", { name: "12.50 USD" })
      .click();
    expect(await page.getByRole("status").last().textContent()).toBe("Their sum is 0.00 USD.");
    await page.getByLabel("Find").fill(transIdSc);
    await page.getByRole("button", { name: "Search" }).click();
    await follow(page, /^Notification/);
    expect(await page.getByRole("row").count()).toBeGreaterThan(1);
    expect(complaints).toEqual([]);
  });

  it("works by keyboard alone: skip link, search, sort, and a command to copy", async () => {
    if (!browser) return expect((await read("/search?id=x")).status).toBe(200);
    const page = await open();
    const focused = () => page.evaluate("document.activeElement.textContent || document.activeElement.id");
    await page.goto(`${consoleUrl()}/programs/${given.connection.programId}/lists/transactions`);
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
    for (let tabs = 0; (await focused()) !== "Amount" && tabs < 40; tabs += 1)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/orderBy=amountMinor/);
    expect(await page.locator("[aria-sort]").textContent()).toBe("Amount");
    for (let tabs = 0; (await focused()) !== "id" && tabs < 20; tabs += 1) await page.keyboard.press("Tab");
    await page.keyboard.type(card.cardId);
    await page.keyboard.press("Enter");
    await page.waitForURL(/search/);
    for (let tabs = 0; !String(await focused()).startsWith("Card ") && tabs < 20; tabs += 1)
      await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await page.waitForURL(/cards/);
    const isCommand = () => page.evaluate("document.activeElement.readOnly === true");
    for (let tabs = 0; !(await isCommand()) && tabs < 60; tabs += 1) await page.keyboard.press("Tab");
    expect(await page.evaluate("getSelection().toString()")).toMatch(/^npm run operator -- block-card '/);
    expect(complaints).toEqual([]);
  });

  it.each(["light", "dark"] as const)(
    "is legible in %s, on a desktop and on a phone",
    async (colorScheme) => {
      if (!browser) return expect((await read("/deadlines")).status).toBe(200);
      const { programId, tenantId } = given.connection;
      const paths = [
        "",
        `/programs/${programId}`,
        `/programs/${programId}/cards/${card.cardId}`,
        `/programs/${programId}/lists/transactions`,
        `/programs/${programId}/lists/authorizations`,
        `/tenants/${tenantId}/audit-log`,
        `/programs/${programId}/cardholders/${longNamed}/cards`,
        "/dead-letters",
      ];
      for (const viewport of [
        { width: 1280, height: 800 },
        { width: 375, height: 740 },
      ]) {
        const page = await open({ colorScheme, viewport, reducedMotion: "reduce" });
        for (const path of paths) {
          await page.goto(consoleUrl() + path);
          expect([path, await page.evaluate(faint)]).toEqual([path, []]);
          const [width, visible] = (await page.evaluate(
            "[document.documentElement.scrollWidth, innerWidth]",
          )) as number[];
          const isWide = (width ?? 0) > (visible ?? 0);
          expect([path, isWide && (await page.evaluate(tooWide))]).toEqual([path, false]);
          expect([path, await page.evaluate(scrolled)]).toEqual([path, 0]);
          expect([path, await page.evaluate(unlabelled)]).toEqual([path, []]);
        }
      }
      expect(complaints).toEqual([]);
    },
  );
});

it("goes by the platform's clock, which tests move", async () => {
  const { controlUrl, programId } = given.connection;
  const plots = async () => (await read(`/programs/${programId}`)).text;
  expect(await plots()).toContain("3 authorizations in 14 days.");
  const body = JSON.stringify({ advance: "1h" });
  expect((await fetch(`${controlUrl}/clock`, { method: "POST", body })).status).toBe(200);
  const path = { cardId: card.cardId };
  await program.call("POST /cards/{cardId}/authorizations", { path, body: { amount: 100 } });
  await expect.poll(plots).toContain("4 authorizations in 14 days.");
});

/** A payout that has arrived at an account, and one that waits for its file. */
async function payOut() {
  const { call } = program;
  const holder = { holderName: "Ada Lovelace", holderType: "person", nickname: "Rent" };
  const iban = "GB82 WEST 1234 5698 7654 32";
  const added = await call("POST /external-accounts", { body: { ...holder, iban } });
  const { externalAccountId } = added.body.data;
  const path = { externalAccountId };
  const method = { method: "bank_check" };
  await call("POST /external-accounts/{externalAccountId}/verification", { path, body: method });
  await call("POST /external-accounts/{externalAccountId}/check", { path, body: { outcome: "match" } });
  const body = { externalAccountId, walletId, amount: 25_000, reference: "INVOICE-7" };
  for (const outcome of [{ status: "completed" }, undefined]) {
    const { payoutId } = (await call("POST /payouts", { body })).body.data;
    if (outcome) await call("POST /payouts/{payoutId}/outcome", { path: { payoutId }, body: outcome });
  }
  return externalAccountId;
}

it.runIf(pictures)("has its pictures taken for the documentation", async () => {
  const { controlUrl, programId } = given.connection;
  const ofProgram = `${consoleUrl()}/programs/${programId}`;
  const ofCard = `${ofProgram}/cards/${card.cardId}`;
  const live = await open({ viewport: { width: 1024, height: 640 } });
  await live.goto(`${controlUrl}/live`);
  const externalAccountId = await payOut();
  for (const amount of [900_000, 2_350]) {
    const body = { amount, merchantName: "Corner Shop", mcc: "5411" };
    await program.call("POST /cards/{cardId}/authorizations", { path: { cardId: card.cardId }, body });
  }
  const phone = { viewport: { width: 375, height: 740 } };
  for (const [name, url, options] of [
    ["console-home", consoleUrl(), { viewport: { width: 1440, height: 900 } }],
    ["console-card", ofCard, { viewport: { width: 1280, height: 720 } }],
    ["console-statement", `${ofCard}/transactions`, { viewport: { width: 1024, height: 640 } }],
    ["console-payouts", `${ofProgram}/lists/payouts`, { viewport: { width: 1024, height: 400 } }],
    ["console-list-phone", `${ofProgram}/lists/authorizations`, phone],
    ["console-external-account-phone", `${ofProgram}/externalAccounts/${externalAccountId}`, phone],
    ["console-phone", ofCard, { ...phone, colorScheme: "dark" }],
  ] as const) {
    const page = await open(options);
    await page.goto(url);
    await page.screenshot({ path: join(String(pictures), `${name}.png`) });
  }
  await live.screenshot({ path: join(String(pictures), "live.png") });
});

/** Tables that have to be scrolled sideways. */
const scrolled =
  "[...document.querySelectorAll('.scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";

/** Texts whose contrast is below WCAG's AA: 4.5 to 1. */
const faint = `(() => {
  const luminance = (color) => {
    const [r, g, b] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (element) => {
    for (let one = element; one; one = one.parentElement) {
      const { backgroundColor } = getComputedStyle(one);
      if (!/, 0\\)|transparent/.test(backgroundColor)) return backgroundColor;
    }
    return "rgb(255, 255, 255)";
  };
  return [...document.querySelectorAll("body *")]
    .filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim()) || one.value)
    .map((one) => {
      const [high, low] = [luminance(getComputedStyle(one).color), luminance(ground(one))].sort((a, b) => b - a);
      return [one.textContent.trim().slice(0, 30), (high + 0.05) / (low + 0.05)];
    })
    .filter(([, contrast]) => contrast < 4.5);
})()`;

/** Fields without a label, tables without column headers, pages without landmarks. */
const unlabelled = `[
  ...[...document.querySelectorAll("input:not([type=hidden]), select")].filter((one) => one.labels.length === 0),
  ...[...document.querySelectorAll("table")].filter((one) => !one.querySelector("th[scope=col]")),
  ...["header", "main", "footer", "nav", "h1"].filter((name) => document.querySelector(name) === null),
].map(String)`;

/** What ends beyond the window, and is in nothing that scrolls by itself. */
const tooWide = `[...document.querySelectorAll("body *")]
  .filter((one) => one.getBoundingClientRect().right > innerWidth + 1)
  .map((one) => [one.tagName, one.className, one.textContent.trim().slice(0, 40)].join(" "))`;
