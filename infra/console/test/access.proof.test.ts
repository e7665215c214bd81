import { get } from "node:http";
import { describe, expect, it } from "vitest";
import { newId } from "../../../shared/platform/id.ts";
import { givenConsole } from "./given-console.ts";

const given = givenConsole();

describe("who may read", () => {
  const ask = (headers: Record<string, string>, method = "GET") =>
    new Promise<number>((resolve) =>
      get(given.url, { headers, method }, (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      }),
    );

  it.each([
    ["another host name, as after DNS rebinding", { host: "attacker.example" }, 400],
    ["a page of another origin", { origin: "https://attacker.example" }, 403],
    [
      "an image or script of another page",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" },
      403,
    ],
    [
      "a page of the same site on another port",
      { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors" },
      403,
    ],
    [
      "a frame of another page",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "iframe" },
      403,
    ],
    [
      "a link",
      { "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
      200,
    ],
    ["the console's own form", { "sec-fetch-site": "same-origin" }, 200],
  ])("%s", async (_, headers, status) => {
    expect(await ask(headers)).toBe(status);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])("nobody with %s", async (method) => {
    expect(await ask({}, method)).toBe(405);
  });

  it("loads and runs nothing, and is kept nowhere", async () => {
    const { headers } = await fetch(given.url);
    expect(headers.get("content-security-policy")).toMatch(/^default-src 'none'; style-src 'self'/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  });
});

describe("with a key", () => {
  const locked = givenConsole("the-key-of-this-run");

  it("only the printed URL enters, and its cookie stays", async () => {
    const { origin } = new URL(locked.url);
    expect((await fetch(`${origin}/console`)).status).toBe(403);
    expect((await fetch(`${origin}/console?key=another-key-of-a-run`)).status).toBe(403);
    const entered = await fetch(locked.url, { redirect: "manual" });
    expect([entered.status, entered.headers.get("location")]).toEqual([303, "/console"]);
    const cookie = entered.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict/);
    const headers = { cookie: cookie.split(";")[0] ?? "" };
    expect((await fetch(`${origin}/console`, { headers })).status).toBe(200);
  });
});

describe("pages that do not exist", () => {
  it.each([
    "/",
    "/other",
    "/console/nothing",
    "/console/programs/x/lists/none",
    "/console/style.js",
    "/console/..%2fpackage.json",
  ])("%s is 404", async (path) => {
    expect((await given.get(path)).status).toBe(404);
  });

  it("a record of another Program is 404", async () => {
    expect((await given.get(`/console/programs/${newId("program")}/cards/${newId("card")}`)).status).toBe(
      404,
    );
  });

  it("a path that is no text, and a place that is none, are 400", async () => {
    expect((await given.get("/console/programs/%E0%A4%A/lists/cards")).status).toBe(400);
  });
});
