#!/bin/sh
# json-canonicalize 3.0.1 does not sort what a value's `toJSON` gives. A payment with an amount of a class that writes itself as currency
# and amount has them in that order, and the same payment, read from its JSON, in the other: one document, two texts. Its page says
# that it follows RFC 8785 for all that JSON has, where names are sorted at every depth (3.2.3); the RFC's sample code leaves them
# so, too. What the sender signs, the receiver does not find. canonicalize 4.0.0 and json-stable-stringify 1.3.0 sort both.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund json-canonicalize@3.0.1 canonicalize@4.0.0 json-stable-stringify@1.3.0
cat > payment.mjs <<'END'
import canonicalize from "canonicalize";
import { canonicalize as jsonCanonicalize } from "json-canonicalize";
import stringify from "json-stable-stringify";

class Money {
  constructor(currency, amount) {
    Object.assign(this, { currency, amount });
  }
  toJSON() {
    return { currency: this.currency, amount: this.amount };
  }
}
const payment = { to: "A", money: new Money("EUR", 500) };
const writers = { "json-canonicalize": jsonCanonicalize, canonicalize, "json-stable-stringify": stringify };
for (const [name, write] of Object.entries(writers))
  console.log(`${name}: ${write(payment)} ${write(JSON.parse(JSON.stringify(payment)))}`);
END
seen=$(node payment.mjs)
echo "$seen"
test "$seen" = 'json-canonicalize: {"money":{"currency":"EUR","amount":500},"to":"A"} {"money":{"amount":500,"currency":"EUR"},"to":"A"}
canonicalize: {"money":{"amount":500,"currency":"EUR"},"to":"A"} {"money":{"amount":500,"currency":"EUR"},"to":"A"}
json-stable-stringify: {"money":{"amount":500,"currency":"EUR"},"to":"A"} {"money":{"amount":500,"currency":"EUR"},"to":"A"}'
