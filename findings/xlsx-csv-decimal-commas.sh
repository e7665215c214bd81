#!/bin/sh
# xlsx 0.18.5 reads an amount with a decimal comma a hundred times too large: in a file whose fields are parted by semicolons, 2,50 is
# 250, -0,99 is -99, and 1.012,50 is 1.0125, so that a sum is wrong in no even way. The reference 1-2 is 2 January 2001, and 4E2 is
# 400. Nothing raises an error. Banks of much of Europe export so; with `raw: true`, all stay texts.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund xlsx@0.18.5
cat > read.cjs <<'END'
const { read, utils } = require("xlsx");

const text = "Referenz;Betrag\n1-2;2,50\n4E2;-0,99\n0012345678;1.012,50\n";
const shown = (value) => (value instanceof Date ? value.toISOString().slice(0, 10) : JSON.stringify(value));
for (const options of [{ cellDates: true }, { raw: true }]) {
  const { Sheets, SheetNames } = read(text, { type: "string", ...options });
  const rows = utils.sheet_to_json(Sheets[SheetNames[0]], { header: 1, raw: true }).slice(1);
  console.log(options.raw ? "raw:" : "usual:", rows.map((row) => row.map(shown).join(" ")).join(", "));
}
END
seen=$(TZ=UTC node read.cjs)
echo "$seen"
test "$seen" = 'usual: 2001-01-02 250, 400 -99, 12345678 1.0125
raw: "1-2" "2,50", "4E2" "-0,99", "0012345678" "1.012,50"'
