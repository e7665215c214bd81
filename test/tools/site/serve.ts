import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".md": "text/markdown; charset=utf-8",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".woff2": "font/woff2",
};

/** Serves the built pages on loopback. Returns the address. 0 takes a free port. */
export async function serveSite(folder: string, port: number) {
  const root = path.resolve(folder);
  const server = createServer((request, response) => {
    const file = findFile(root, new URL(request.url ?? "/", "http://localhost").pathname);
    const [status, found] = file === undefined ? [404, path.join(root, "404.html")] : [200, file];
    response.writeHead(status, { "Content-Type": types[path.extname(found)] ?? "application/octet-stream" });
    if (existsSync(found)) createReadStream(found).pipe(response);
    else response.end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, "127.0.0.1", resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${taken}/`, stop };
}

/** A page's address has no ending. Nothing outside of the folder is found. */
function findFile(root: string, pathname: string): string | undefined {
  const decoded = decode(pathname);
  if (decoded === undefined) return undefined;
  const asked = path.join(root, decoded);
  const candidates = [asked, `${asked.replace(/\/$/, "")}.html`, path.join(asked, "index.html")];
  return candidates.find(
    (one) => one.startsWith(root + path.sep) && existsSync(one) && statSync(one).isFile(),
  );
}

/** Undefined for what is no UTF-8. */
function decode(pathname: string): string | undefined {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return undefined;
  }
}
