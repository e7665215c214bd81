#!/bin/sh
# @aws-sdk/util-dynamodb 3.996.9: `unmarshall` keeps a whole number of any length, as a BigInt, and refuses one with a fraction above
# 2^53. But below, it rounds without a word: 1234567890123456.78 is 1234567890123456.8, and 12.345678901234567891, an amount of
# a token with 18 decimals, loses three. A number set with two such amounts comes back with one. DynamoDB has 38 digits; with
# `wrapNumbers` all are there, and the page of that option speaks of numbers of arbitrary size. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @aws-sdk/util-dynamodb@3.996.9 @aws-sdk/client-dynamodb@3.1141.0
cat > amounts.mjs <<'END'
import { unmarshall } from "@aws-sdk/util-dynamodb";

const read = (attribute, options) => {
  try {
    return unmarshall({ attribute }, options).attribute;
  } catch (error) {
    return error.name;
  }
};
for (const N of ["12345678901234567890", "12345678901234567.89", "1234567890123456.78", "12.345678901234567891"])
  console.log(`${N}: ${read({ N })}, wrapped ${read({ N }, { wrapNumbers: true }).value}`);
console.log(`set of two: ${read({ NS: ["1.000000000000000001", "1.000000000000000002"] }).size}`);
END
seen=$(node amounts.mjs)
echo "$seen"
test "$seen" = "12345678901234567890: 12345678901234567890, wrapped 12345678901234567890
12345678901234567.89: Error, wrapped 12345678901234567.89
1234567890123456.78: 1234567890123456.8, wrapped 1234567890123456.78
12.345678901234567891: 12.345678901234567, wrapped 12.345678901234567891
set of two: 1"
