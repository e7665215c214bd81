// Unpacks Node's program alone from npm's cache into a folder with the lock file. npm ci would ask
// the registry first, and unpack the headers too. Fails where the cache does not have it. Any Node
// can run this.
const { createHash } = require("node:crypto");
const { mkdirSync, readFileSync, writeFileSync } = require("node:fs");
const { homedir } = require("node:os");
const { dirname, join } = require("node:path");
const { gunzipSync } = require("node:zlib");

const folder = process.argv[2];
const cache = process.env.npm_config_cache ?? join(homedir(), ".npm");
const path = `node_modules/node-${process.platform}-${process.arch}`;

const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
const program = findFile(gunzipSync(readCached(packages[path].integrity)), "package/bin/node");
const file = join(folder, path, "bin/node");
mkdirSync(dirname(file), { recursive: true });
writeFileSync(file, program, { mode: 0o755 });

/** npm keeps what it fetched under its hash. */
function readCached(integrity) {
  const [algorithm, base64] = integrity.split("-");
  const hash = Buffer.from(base64, "base64").toString("hex");
  const parts = [hash.slice(0, 2), hash.slice(2, 4), hash.slice(4)];
  const cached = readFileSync(join(cache, "_cacache/content-v2", algorithm, ...parts));
  if (createHash(algorithm).update(cached).digest("hex") !== hash) throw new Error("It is damaged.");
  return cached;
}

function findFile(archive, name) {
  const blockBytes = 512;
  for (let at = 0; at < archive.length; ) {
    const header = archive.toString("latin1", at, at + blockBytes);
    const bytes = Number.parseInt(header.slice(124, 136), 8) || 0;
    at += blockBytes;
    if (header.startsWith(`${name}\0`)) return archive.subarray(at, at + bytes);
    at += Math.ceil(bytes / blockBytes) * blockBytes;
  }
  throw new Error(`It has no ${name}.`);
}
