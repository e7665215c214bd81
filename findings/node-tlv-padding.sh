#!/bin/sh
# node-tlv 1.5.14 takes a byte 00 between two objects for a tag. EMV (book 3, annex B1) has such bytes before, between and after
# objects, without meaning, where one was erased. After one of them, the currency (5F2A) that follows the amount (9F02) in a field 55
# is not found, nor what comes after it, and nothing raises an error; two of them are an object without a value. ber-tlv 0.9.2
# skips them. Of such a terminal's purchases, currency or cryptogram are missing. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund node-tlv@1.5.14 ber-tlv@0.9.2
cat > objects.cjs <<'END'
const { TlvFactory } = require("ber-tlv");
const TLV = require("node-tlv");

for (const [name, data] of [
  ["without 00", "9F02060000000012345F2A0209789F3602001B"],
  ["with 00", "9F0206000000001234005F2A0209789F3602001B"],
  ["with 0000", "9F020600000000123400005F2A0209789F3602001B"],
]) {
  const read = TLV.parseList(data).map((one) => `${one.getTag()}=${one.getValue()}`);
  const other = TlvFactory.parse(data).map(({ tag, value }) => `${tag}=${value.toString("hex")}`);
  console.log(`${name}: node-tlv ${read.join(" ")}, ber-tlv ${other.join(" ")}`);
}
END
seen=$(node objects.cjs)
echo "$seen"
test "$seen" = "without 00: node-tlv 9F02=000000001234 5F2A=0978 9F36=001B, ber-tlv 9F02=000000001234 5F2A=0978 9F36=001b
with 00: node-tlv 9F02=000000001234 00=2A0209789F3602001B, ber-tlv 9F02=000000001234 5F2A=0978 9F36=001b
with 0000: node-tlv 9F02=000000001234 00= 5F2A=0978 9F36=001B, ber-tlv 9F02=000000001234 5F2A=0978 9F36=001b"
