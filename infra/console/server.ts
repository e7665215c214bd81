import { timingSafeEqual } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import path from "node:path";
import { type LoopbackServer, startLoopbackServer } from "../local/loopback-server.ts";
import { moveDate } from "../local/moved-date.ts";
import { ensureTool } from "../tools/install-tool.ts";
import { type Links, NotFound, type Page } from "./page.ts";
import { renderPage } from "./render.ts";
import { type Console, findPage } from "./routes.ts";
import { hrefOfId, leadsSomewhere } from "./values.ts";

interface ConsoleOptions {
  readonly console: Console;
  /** Who knows it may read: other users of the machine reach its ports too. */
  readonly key?: string;
}

/** Nothing but the page's own style is loaded, nothing runs, and no other page frames it. */
const headers = {
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
} as const;

const styles: Readonly<Record<string, () => Promise<string>>> = {
  "/console/pico.css": async () =>
    path.join(await ensureTool("pico"), "@picocss/pico/css/pico.fluid.classless.min.css"),
  "/console/style.css": async () => path.join(import.meta.dirname, "style.css"),
};
/** Another host name would mean DNS rebinding by a foreign page. */
const loopbackHost = /^(127\.0\.0\.1|localhost)(:\d+)?$/;

interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

type Asked = Pick<IncomingMessage, "method" | "url" | "headers">;

/** Listens on this machine only. The URL is that of the first page. */
export async function startConsoleServer({
  port,
  ...options
}: ConsoleOptions & { readonly port?: number }): Promise<LoopbackServer> {
  const answerTo = openConsole(options);
  const { url, stop } = await startLoopbackServer(async (request, response) => {
    const { status, headers, body } = await answerTo(request);
    response.writeHead(status, headers).end(body);
  }, port);
  return { url: `${url}/console${options.key === undefined ? "" : `?key=${options.key}`}`, stop };
}

/** Answers only GET. */
export function openConsole(options: ConsoleOptions) {
  const { environment, target } = options.console;
  const setClock = followClock(target.controlUrl);
  return async (asked: Asked) => {
    const answering = setClock().then(() => answer(options, asked));
    const {
      type,
      headers: more,
      ...answered
    } = await answering.catch((error: Error) => failure(environment, asked, error));
    const length = Buffer.byteLength(answered.body);
    return { ...answered, headers: { ...headers, "content-type": type, "content-length": length, ...more } };
  };
}

/**
 * Moves this thread's clock to that of the platform on this machine, which tests move: what is
 * overdue, held or of today follows from it. Returns what to do before each page.
 */
function followClock(controlUrl: string | undefined): () => Promise<void> {
  if (controlUrl === undefined) return async () => undefined;
  const shared = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT);
  const offset = new BigInt64Array(shared);
  const { now: realNow } = Date;
  moveDate(shared);
  return async () => {
    const { now } = (await (await fetch(`${controlUrl}/clock`)).json()) as { now: string };
    Atomics.store(offset, 0, BigInt(Date.parse(now) - realNow()));
  };
}

function text(status: number, body: string): Answer {
  return { status, type: "text/plain; charset=utf-8", body: `${body}\n` };
}

/** Reasons name tables and ids, which their reader may see; nobody else gets here. */
function failure(environment: string, { url = "", headers: { accept = "" } }: Asked, error: Error): Answer {
  const { status, title, reason } = explain(error);
  if (!accept.includes("text/html")) return text(status, reason);
  const [pathname = ""] = url.split("?");
  const sections = [{ kind: "note", text: reason } as const, waysOn(pathname, error)];
  return toHtml(environment, pathname, { title, trail: [], sections }, new URLSearchParams(), status);
}

function toHtml(environment: string, path: string, page: Page, query: URLSearchParams, status = 200): Answer {
  return { status, type: "text/html; charset=utf-8", body: renderPage(environment, path, page, query) };
}

function explain(error: Error) {
  if (error instanceof NotFound)
    return { status: 404, title: "There is no such page", reason: error.message };
  const isWrong =
    error instanceof URIError || error instanceof SyntaxError || error.name === "ValidationException";
  if (isWrong) return { status: 400, title: "This address is not right", reason: error.message };
  return { status: 500, title: "This page could not be made", reason: `${error.name}: ${error.message}` };
}

/** What is known of it, the Program that the address names, and the pages always there. */
function waysOn(pathname: string, error: Error): Links {
  const [, , place, id] = pathname.split("/");
  const isOfProgram = place === "programs" && id !== undefined && leadsSomewhere(id);
  return {
    kind: "links",
    title: "Go on",
    links: [
      ...(error instanceof NotFound && error.instead ? [error.instead] : []),
      { text: "Home", href: "/console" },
      { text: "Tenants", href: "/console/tenants" },
      ...(isOfProgram ? [{ text: "Its Program", href: hrefOfId(id) }] : []),
      { text: "Search", href: "/console/search" },
    ],
  };
}

async function answer({ console, key }: ConsoleOptions, request: Asked): Promise<Answer> {
  const { host = "", origin, "sec-fetch-site": site = "none" } = request.headers;
  if (!loopbackHost.test(host)) return text(400, `The host is "${host}"; use 127.0.0.1 or localhost.`);
  const isForeign = origin !== undefined && origin !== `http://${host}`;
  // A link from another page may open the console, but no page may read it.
  const isOpened =
    request.headers["sec-fetch-mode"] === "navigate" && request.headers["sec-fetch-dest"] === "document";
  if (isForeign || (site !== "none" && site !== "same-origin" && !isOpened))
    return text(403, "Another page may not read the console.");
  if (request.method !== "GET" && request.method !== "HEAD")
    return text(405, "The console is read-only: it takes GET and HEAD.");
  const { pathname, searchParams } = new URL(request.url ?? "", "http://console");
  const entered = enter(key, request, pathname, searchParams);
  if (entered) return entered;
  const style = Object.hasOwn(styles, pathname) ? styles[pathname] : undefined;
  if (style) return { status: 200, type: "text/css; charset=utf-8", body: await readFile(await style()) };
  const [, first, ...parts] = pathname.replace(/\/$/, "").split("/");
  if (first !== "console") return text(404, "The console is at /console.");
  const page = await findPage(console, parts.map(decodeURIComponent), searchParams);
  const { environment } = console;
  const { accept = "" } = request.headers;
  if (accept.includes("application/json") && !accept.includes("text/html"))
    return { status: 200, type: "application/json", body: JSON.stringify({ environment, ...page }) };
  return toHtml(environment, pathname.replace(/\/$/, ""), page, searchParams);
}

/** Undefined if the caller knows the key. The first page's URL has it; then a cookie has. */
function enter(
  key: string | undefined,
  { headers: { cookie = "", host = "" } }: Asked,
  pathname: string,
  query: URLSearchParams,
): Answer | undefined {
  if (key === undefined) return undefined;
  // Cookies do not distinguish ports.
  const name = `console-${host.split(":")[1] ?? "80"}`;
  const given = query.get("key");
  if (given !== null && isEqual(given, key)) {
    query.delete("key");
    const rest = query.size === 0 ? "" : `?${query}`;
    const setCookie = `${name}=${key}; HttpOnly; SameSite=Strict; Path=/console`;
    return { ...text(303, "Entered."), headers: { location: pathname + rest, "set-cookie": setCookie } };
  }
  const found = cookie.split("; ").find((one) => one.startsWith(`${name}=`));
  if (found !== undefined && isEqual(found.slice(name.length + 1), key)) return undefined;
  return text(403, "Open the URL that npm run console printed: it has the key.");
}

function isEqual(given: string, key: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(key)];
  return left.length === right.length && timingSafeEqual(left, right);
}
