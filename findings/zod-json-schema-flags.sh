#!/bin/sh
# zod 4.6.7: the JSON Schema of `z.toJSONSchema` loses the flags of a regular expression without a word. A pattern with `i`
# takes EUR and eur in zod, and a validator of the schema (ajv 8.20.0) refuses EUR. The other way round, the pattern that
# it writes for `z.ipv6` knows no IPv4-mapped address (::ffff:192.0.2.1), which `z.ipv6` itself takes.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund zod@4.6.7 ajv@8.20.0
cat > compare.mjs <<'END'
import { Ajv2020 } from "ajv/dist/2020.js";
import { z } from "zod";

const ajv = new Ajv2020({ strict: false, validateFormats: false });
const compare = (name, schema, value) => {
  const described = ajv.compile(z.toJSONSchema(schema))(value);
  console.log(`${name}: zod ${schema.safeParse(value).success}, its JSON Schema ${described}`);
};
const currency = z.string().regex(/^[a-z]{3}$/i);
compare("eur", currency, "eur");
compare("EUR", currency, "EUR");
compare("mapped address", z.ipv6(), "::ffff:192.0.2.1");
END
seen=$(node compare.mjs)
echo "$seen"
test "$seen" = "eur: zod true, its JSON Schema true
EUR: zod true, its JSON Schema false
mapped address: zod true, its JSON Schema false"
