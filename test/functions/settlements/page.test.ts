import { expect, it } from "vitest";
import { toPage } from "../../../functions/settlements/page.ts";
import { givenDay, record } from "./given-day.ts";

it("is a document of its own that escapes what others have written", async () => {
  const { call, feed, today } = await givenDay();
  const hostile = `<img src=x onerror="alert('&')">`;
  await feed("<script>", [record(hostile, 10)]);
  const headers = { Accept: "text/html" };
  const answer = await call("GET /settlements/{date}", { path: { date: today() }, headers });
  expect(answer.status).toBe(200);
  const page = String(answer.body);
  expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
  expect(page).not.toContain("<img");
  expect(page).not.toContain("<script");
  expect(page).toContain("&lt;img src=x onerror=&quot;alert(&#39;&amp;&#39;)&quot;&gt;");
  expect(page).toContain("default-src &#39;none&#39;".replaceAll("&#39;", "'"));
});

it("shows amounts with their sign, and what is not complete", async () => {
  const { view, apply } = await givenDay();
  await apply({ kind: "refund", amount: 123_456 });
  const settlement = await view();
  expect(toPage(settlement)).toContain("−1234.56 USD");
  expect(toPage(settlement)).toContain("No differences.");
  expect(toPage({ ...settlement, status: "running", progressPercent: 40 })).toContain("running: 40 %");
});
