import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:https";
import { tmpdir } from "node:os";
import path from "node:path";
import type { TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, it } from "vitest";
import rootPackage from "../../package.json" with { type: "json" };
import { portOf } from "../harness/listen.ts";
import { givenTlsIdentity } from "../harness/receiver.ts";

const run = promisify(execFile);
const root = path.join(import.meta.dirname, "../..");
const directory = mkdtempSync(path.join(tmpdir(), "client-"));
const program = path.join(directory, "program.mjs");
let files: string[];
let server: Server | undefined;

/** Packs the client as it is published, and installs it beside a program that calls a server. */
beforeAll(async () => {
  const pack = ["pack", "./client", "--json", "--pack-destination", directory];
  const { stdout } = await run("npm", pack, { cwd: root });
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf("[\n"))) as [
    { filename: string; files: { path: string }[] },
  ];
  files = packed.files.map((file) => file.path);
  const installed = path.join(directory, "node_modules/card-issuing-client");
  mkdirSync(installed, { recursive: true });
  await run("tar", ["-xzf", path.join(directory, packed.filename), "-C", installed, "--strip-components=1"]);
  for (const name of Object.keys(dependencies()))
    symlinkSync(path.join(root, "node_modules", name), path.join(directory, "node_modules", name));

  const own = await givenTlsIdentity("localhost");
  const tls = { cert: own.cert, key: own.key, ca: own.ca, requestCert: true, rejectUnauthorized: false };
  server = createServer(tls, (request, response) => {
    const { subject } = (request.socket as TLSSocket).getPeerCertificate();
    const items = [{ walletId: `${subject.CN} ${request.headers["x-api-key"]}` }];
    response.end(JSON.stringify({ status: "success", items, total: 1, limit: 50, offset: 0 }));
  });
  const baseUrl = `https://localhost:${await portOf(server)}/v2`;
  const options = { baseUrl, authority: own.ca, apiKey: "own-key" };
  writeFileSync(
    program,
    `import { createClient, pages } from "card-issuing-client";
     const options = ${JSON.stringify({ ...options, certificate: own.cert, key: own.key })};
     const client = createClient(options);
     for await (const { walletId } of pages(client, "/wallets", {})) console.log(walletId);
     await client.close();`,
  );
});

afterAll(() => void server?.close());

function dependencies(): Record<string, string> {
  const text = readFileSync(path.join(root, "client/package.json"), "utf8");
  return (JSON.parse(text) as { dependencies: Record<string, string> }).dependencies;
}

it("holds compiled JavaScript, types and a README, and nothing else", () => {
  expect(files).toEqual(expect.arrayContaining(["README.md", "dist/client/src/card-issuing.d.ts"]));
  const unexpected = files.filter(
    (file) => !/^(?:README\.md|package\.json|dist\/.+\.(?:js|d\.ts))$/.test(file),
  );
  expect(unexpected).toEqual([]);
  expect(files.filter((file) => /test|^dist\/shared\/.*\.js$/.test(file))).toEqual([]);
});

/** CLIENT_NODES names further Node binaries, separated by colons: see client/README.md. */
const others = process.env.CLIENT_NODES?.split(":") ?? [];
it.each([process.execPath, "/usr/bin/node", "/usr/local/bin/node", ...others])(
  "calls a server over mutual TLS in %s",
  async (node) => {
    const version = await run(node, ["--version"]).catch(() => undefined);
    if (!version) return expect([process.execPath, ...others]).not.toContain(node);
    const { stdout } = await run(node, [program]);
    expect([version.stdout.trim(), stdout.trim()]).toEqual([
      expect.stringMatching(/^v2\d/),
      "localhost own-key",
    ]);
  },
);

it("depends on exactly the tested versions", () => {
  const installed: Record<string, string> = { ...rootPackage.dependencies, ...rootPackage.devDependencies };
  for (const [name, version] of Object.entries(dependencies())) expect(installed[name], name).toBe(version);
});
