#!/bin/sh
# fast-xml-parser 5.12.1 leaves character references as they are: a payer M&#252;ller of a camt.053 has that name, with ampersand and
# number, while &amp; and &lt; are read. XML 1.0 (4.4) has every processor read both. It does with `htmlEntities: true`, an option
# for HTML's names, as &nbsp;, which XML does not have. xml2js 0.6.2 and xml-js 1.6.11 read them without one. Such a name is not found
# in a list to which it is compared, and is written on as M&amp;#252;ller. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund fast-xml-parser@5.12.1 xml2js@0.6.2 xml-js@1.6.11
cat > read.mjs <<'END'
import { XMLBuilder, XMLParser } from "fast-xml-parser";
import xmlJs from "xml-js";
import xml2js from "xml2js";

const text = "<Nm>M&#252;ller &#x26; Sons &amp; Co</Nm>";
const { Nm } = new XMLParser().parse(text);
console.log(`fast-xml-parser: ${Nm}`);
console.log(`written again: ${new XMLBuilder().build({ Nm })}`);
console.log(`with htmlEntities: ${new XMLParser({ htmlEntities: true }).parse(text).Nm}`);
console.log(`xml2js: ${(await xml2js.parseStringPromise(text)).Nm}`);
console.log(`xml-js: ${xmlJs.xml2js(text, { compact: true }).Nm._text}`);
END
seen=$(node read.mjs)
printf '%s\n' "$seen"
test "$seen" = "fast-xml-parser: M&#252;ller &#x26; Sons & Co
written again: <Nm>M&amp;#252;ller &amp;#x26; Sons &amp; Co</Nm>
with htmlEntities: Müller & Sons & Co
xml2js: Müller & Sons & Co
xml-js: Müller & Sons & Co"
