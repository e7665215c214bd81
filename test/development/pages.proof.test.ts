import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startControl } from "../../infra/development/control.ts";
import { VirtualClock } from "../../infra/local/clock.ts";
import type { LoopbackServer } from "../../infra/local/loopback-server.ts";
import { Metrics, memoryTrace } from "../../infra/local/telemetry.ts";

/** Debian's package `chromium`; without it the pages are still read, though not shown. */
const executablePath = "/usr/bin/chromium";
const directory = mkdtempSync(join(tmpdir(), "pages-"));
const clock = new VirtualClock(join(directory, "clock.json"));
const trace = memoryTrace(clock);
let control: LoopbackServer;
let browser: Browser | undefined;

beforeAll(async () => {
  control = await startControl({
    clock,
    trace,
    metrics: new Metrics(),
    functions: { killNext: async () => true },
    address: { baseUrl: "https://localhost:8443/v2", sandboxUrl: "https://localhost:8443/v2/sandbox" },
    console: { answer: async ({ url }, response) => void response.end(`console ${url}`) },
    publishTruststore: async () => undefined,
  });
  if (!existsSync(executablePath)) return;
  const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--disable-background-networking"];
  browser = await chromium.launch({ executablePath, args });
});
afterAll(async () => {
  await browser?.close();
  await control.stop();
  clock.stop();
  rmSync(directory, { recursive: true });
});

describe("the control port's pages", () => {
  it.each([
    ...["/", "/live", "/live.js", "/style.css", "/reference", "/reference.js", "/reference.css", "/pico.css"],
    "/swagger-ui-bundle.js",
  ])("%s is there, and what it refers to as well", async (path) => {
    const response = await fetch(control.url + path);
    expect(response.status).toBe(200);
    const text = await response.text();
    const links = path.endsWith(".js") ? [] : [...text.matchAll(/(?:href|src)="(\/[^"]*)"/g)];
    for (const [, link] of links)
      expect([link, (await fetch(control.url + link)).status]).toEqual([link, 200]);
  });

  it("include the console, which answers what is below /console", async () => {
    for (const path of ["/console", "/console?from=1", "/console/programs/x"])
      expect(await (await fetch(control.url + path)).text()).toBe(`console ${path}`);
    expect((await fetch(`${control.url}/consoles`)).status).toBe(404);
  });

  it("serve no other file, and no other host name", async () => {
    expect((await fetch(`${control.url}/pages.ts`)).status).toBe(404);
    expect((await fetch(`${control.url}/..%2fpackage.json`)).status).toBe(404);
    const status = await new Promise((resolve) =>
      get(`${control.url}/trace`, { headers: { host: "elsewhere.example" } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      }),
    );
    expect(status).toBe(400);
  });

  it("say how to make something happen before it does", async () => {
    if (!browser) return expect(trace.since(0)).toEqual([]);
    const page = await browser.newPage();
    await page.goto(`${control.url}/live`);
    await page.getByText("Following").waitFor();
    expect(await page.locator("#empty").textContent()).toContain("npm run trigger -- purchase");
    expect(await page.locator("#none").isVisible()).toBe(false);
    await page.close();
  });

  it("show what happens while it does, and text as text", async () => {
    trace.record({ kind: "request", name: "GET /cards", detail: { status: 200 } });
    trace.record({
      kind: "ledger-entry",
      name: "transfer",
      detail: { "crd_1:available": 20_000, "wlt_1:available": -20_000 },
      about: {
        ...{ programId: "prg_1", accountId: "crd_1", place: "ENTRY#jrn_1" },
        ...{ cardId: "crd_1", merchant: "Corner Shop", currency: "USD" },
      },
    });
    trace.record({ kind: "invocation", name: "callback-delivery", detail: { outcome: "Succeeded" } });
    trace.record({ kind: "question", name: "asked", detail: { authorizationId: "hld_1" } });
    trace.record({ kind: "decision", name: "approved by receiver", detail: { authorizationId: "hld_1" } });
    trace.record({ kind: "invocation", name: "cards", detail: { outcome: "Succeeded" } });
    trace.record({ kind: "request", name: "<b id=bold>", detail: {} });
    if (!browser) return expect(trace.since(0)).toHaveLength(7);
    const page = await browser.newPage();
    await page.setViewportSize({ width: 375, height: 700 });
    await page.goto(`${control.url}/live`);
    await page.locator("#ledger li").first().waitFor();
    // What is pressed stands in line with the title.
    const margins = await page.evaluate(
      'Array.from(document.querySelectorAll("#filter, #pause"), (one) => getComputedStyle(one).marginBottom)',
    );
    expect(margins).toEqual(["0px", "0px"]);
    expect(await page.locator("#state").textContent()).toBe("Following");
    expect(await page.locator("#requests li").count()).toBe(2);
    expect(await page.locator("#bold").count()).toBe(0);
    expect(await page.locator("#ledger li").textContent()).toContain("transfer");
    expect(await page.locator("#ledger li").textContent()).toContain("crd_1:available 200.00");
    const amount = page.getByRole("link", { name: "200.00 USD" });
    expect(await amount.getAttribute("href")).toBe("/console/programs/prg_1/accounts/crd_1/ENTRY%23jrn_1");
    expect(await page.locator("#ledger li").textContent()).toContain("Corner Shop");
    expect(await page.locator('#ledger a[href="/console/programs/prg_1/cards/crd_1"]').count()).toBe(1);
    expect(await page.locator("#empty").isVisible()).toBe(false);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
    expect(await page.locator("#deliveries li").count()).toBe(1);
    expect(await page.locator("#questions li").first().textContent()).toContain("approved by receiver");
    trace.record({ kind: "ledger-entry", name: "clearing", detail: {} });
    await page.locator("#ledger li", { hasText: "clearing" }).waitFor();
    await page.getByLabel("Show only what contains").fill("corner");
    expect(await page.locator("li:visible").count()).toBe(1);
    const none = page.getByText("Nothing that has happened contains this.");
    expect(await none.isVisible()).toBe(false);
    await page.getByLabel("Show only what contains").fill("nowhere");
    expect([await page.locator("li:visible").count(), await none.isVisible()]).toEqual([0, true]);
    await page.getByLabel("Show only what contains").fill("");
    await page.getByRole("button", { name: "Pause" }).click();
    trace.record({ kind: "ledger-entry", name: "refund", detail: {} });
    await page.waitForTimeout(1_200);
    expect(await page.locator("#ledger li", { hasText: "refund" }).count()).toBe(0);
    await page.getByRole("button", { name: "Go on" }).click();
    await page.locator("#ledger li", { hasText: "refund" }).waitFor();
    await page.close();
  });

  it("have a reference of every resource, dark in dark mode, on a phone, with this platform's address", async () => {
    if (!browser) return expect((await fetch(`${control.url}/openapi.json`)).status).toBe(200);
    const viewport = { width: 375, height: 700 };
    const page = await browser.newPage({ colorScheme: "dark", viewport });
    await page.goto(`${control.url}/reference`);
    await page.locator(".opblock-tag-section").first().waitFor();
    const tags = await page.locator(".opblock-tag").evaluateAll((all) => all.map((one) => one.id));
    expect(tags).toEqual(expect.arrayContaining(["operations-tag-cards", "operations-tag-sandbox"]));
    expect(await page.locator(".servers").first().textContent()).toContain("https://localhost:8443/v2");
    const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
    expect(
      String(ground)
        .match(/\d+/g)
        ?.slice(0, 3)
        .every((part) => Number(part) < 60),
    ).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
    await page.close();
  });
});
