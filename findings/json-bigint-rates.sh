#!/bin/sh
# json-bigint 1.0.0 with `useNativeBigInt: true` takes every number of more than 15 characters for a whole one. An exchange rate of
# 0.8571428571428571, as JavaScript itself writes six sevenths, raises a SyntaxError, and the whole event is unread; 0.857 is a
# number. By its page, the option has BigInt in place of bignumber.js, which reads both. json-with-bigint 3.5.12 and lossless-json 4.3.3
# read the rate, too. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund json-bigint@1.0.0 json-with-bigint@3.5.12 lossless-json@4.3.3
cat > rates.mjs <<'END'
import bigJson from "json-bigint";
import { JSONParse } from "json-with-bigint";
import { parse } from "lossless-json";

const readers = {
  "json-bigint": bigJson.parse,
  "json-bigint, native": bigJson({ useNativeBigInt: true }).parse,
  "json-with-bigint": JSONParse,
  "lossless-json": (text) => parse(text),
};
const texts = [`{"rate":${6 / 7}}`, '{"rate":0.857}', '{"rate":12345678901234567890}'];
for (const [name, reader] of Object.entries(readers)) {
  const read = texts.map((text) => {
    try {
      return reader(text).rate;
    } catch (error) {
      return error.name;
    }
  });
  console.log(`${name}: ${read.join(", ")}`);
}
END
seen=$(node rates.mjs)
echo "$seen"
test "$seen" = "json-bigint: 0.8571428571428571, 0.857, 12345678901234567890
json-bigint, native: SyntaxError, 0.857, 12345678901234567890
json-with-bigint: 0.8571428571428571, 0.857, 12345678901234567890
lossless-json: 0.8571428571428571, 0.857, 12345678901234567890"
