#!/bin/sh
# fflate 0.8.3: `gunzipSync` of a file with several members gives the first and drops the others without an error. A gzip file is
# a series of members (RFC 1952, 2.2): so are `cat a.gz b.gz`, logs that were appended to, and files that are compressed in parts.
# Node's zlib and pako 3.0.3 give all of them. Half a day's events are gone, and nothing says so. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund fflate@0.8.3 pako@3.0.3
printf '{"event":1}\n' | gzip > events.gz
printf '{"event":2}\n' | gzip >> events.gz
cat > events.mjs <<'END'
import { readFileSync } from "node:fs";
import zlib from "node:zlib";
import * as fflate from "fflate";
import * as pako from "pako";

const readers = { zlib: zlib.gunzipSync, pako: pako.ungzip, fflate: fflate.gunzipSync };
for (const [name, read] of Object.entries(readers))
  console.log(`${name}: ${Buffer.from(read(readFileSync("events.gz"))).toString().trim().split("\n").join(" ")}`);
END
seen=$(node events.mjs && printf 'gunzip: ' && gunzip --stdout events.gz | xargs -d '\n' echo)
echo "$seen"
test "$seen" = 'zlib: {"event":1} {"event":2}
pako: {"event":1} {"event":2}
fflate: {"event":1}
gunzip: {"event":1} {"event":2}'
