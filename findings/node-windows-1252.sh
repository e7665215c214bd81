#!/bin/sh
# Node's TextDecoder reads windows-1252 as ISO-8859-1 in 20.20.2, but only without `stream: true`:
# 0x80 is U+0080, not the euro sign that the Encoding Standard has, and that 24.21.0 gives.
# So one text depends on the version and on whether it is read in parts. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund old@npm:node@20.20.2 new@npm:node@24.21.0
cat > decode.cjs <<'END'
const bytes = new Uint8Array([0x80, 0x92]);
const hex = (text) => [...text].map((one) => one.codePointAt(0).toString(16)).join(" ");
const whole = new TextDecoder("windows-1252").decode(bytes);
const parts = new TextDecoder("windows-1252").decode(bytes, { stream: true });
console.log(`${process.version}: whole ${hex(whole)}, in parts ${hex(parts)}`);
END
seen=$(for version in old new; do "$(find "node_modules/$version" -path '*bin/node' -type f | head -1)" decode.cjs; done)
echo "$seen"
test "$seen" = "v20.20.2: whole 80 92, in parts 20ac 2019
v24.21.0: whole 20ac 2019, in parts 20ac 2019"
