#!/bin/sh
# ofx-data-extractor 1.5.0 leaves the escapes of a statement's texts: the payee `A &amp; B` keeps its `&amp;`, which in OFX stands for `&`.
# A payee in braces, `{ACME}`, comes back as `ACME},`, since the file becomes JSON by the replacing of text, and nothing raises an
# error. And `toJson` calls the entries STRTTRN, where the format has STMTTRN. ofx-js 1.1.1 has the payees and the name right.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund ofx-data-extractor@1.5.0 ofx-js@1.1.1
cat > read.mjs <<'END'
import { Ofx } from "ofx-data-extractor";
import { parse } from "ofx-js";

const entry = (payee, id) => `<STMTTRN>
<TRNTYPE>DEBIT
<DTPOSTED>20260302120000
<TRNAMT>-12.50
<FITID>${id}
<NAME>${payee}
</STMTTRN>`;
const file = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
SECURITY:NONE
ENCODING:USASCII
CHARSET:1252
COMPRESSION:NONE
OLDFILEUID:NONE
NEWFILEUID:NONE

<OFX>
<BANKMSGSRSV1>
<STMTTRNRS>
<STMTRS>
<CURDEF>USD
<BANKTRANLIST>
<DTSTART>20260301
<DTEND>20260331
${entry("A &amp; B", 1)}
${entry("{ACME}", 2)}
</BANKTRANLIST>
</STMTRS>
</STMTTRNRS>
</BANKMSGSRSV1>
</OFX>
`;
const entriesIn = ({ OFX }) => OFX.BANKMSGSRSV1.STMTTRNRS.STMTRS.BANKTRANLIST;
const print = (library, entries, names) =>
  console.log(`${library}: ${entries.map(({ NAME }) => NAME).join(" | ")}; ${Object.keys(names).at(-1)}`);
const ofx = new Ofx(file);
print("ofx-data-extractor", ofx.getBankTransferList(), entriesIn(ofx.toJson()));
const list = entriesIn(await parse(file));
print("ofx-js", list.STMTTRN, list);
END
seen=$(node read.mjs)
printf '%s\n' "$seen"
test "$seen" = "ofx-data-extractor: A &amp; B | ACME},; STRTTRN
ofx-js: A & B | {ACME}; STMTTRN"
