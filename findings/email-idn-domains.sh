#!/bin/sh
# valibot 1.5.0 refuses every address whose domain is internationalised, also in the form that mail is sent with: of
# info@xn--bcher-kva.com (the letters of IDNA, RFC 5890, 2.3.2.1) it takes no hyphen beside a hyphen. zod 4.6.7 and arktype 2.2.10 take it,
# but not such a name at the end (xn--p1ai is the domain of a country, .рф). `rfcEmail` of valibot, validator 13.15.35 and yup 1.7.1
# take both. A Cardholder there cannot be registered with an address that gets mail. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund valibot@1.5.0 zod@4.6.7 arktype@2.2.10 validator@13.15.35 yup@1.7.1
cat > check.mjs <<'END'
import { type } from "arktype";
import * as v from "valibot";
import validator from "validator";
import * as yup from "yup";
import { z } from "zod";

const checks = {
  valibot: (address) => v.is(v.pipe(v.string(), v.email()), address),
  rfcEmail: (address) => v.is(v.pipe(v.string(), v.rfcEmail()), address),
  zod: (address) => z.email().safeParse(address).success,
  arktype: (address) => type("string.email").allows(address),
  validator: (address) => validator.isEmail(address),
  yup: (address) => yup.string().email().isValidSync(address),
};
for (const address of ["info@books.example.com", "info@xn--bcher-kva.com", "info@xn--d1acufc.xn--p1ai"]) {
  const takers = Object.keys(checks).filter((name) => checks[name](address));
  console.log(`${address}: ${takers.join(" ")}`);
}
END
seen=$(node check.mjs)
echo "$seen"
test "$seen" = "info@books.example.com: valibot rfcEmail zod arktype validator yup
info@xn--bcher-kva.com: rfcEmail zod arktype validator yup
info@xn--d1acufc.xn--p1ai: rfcEmail validator yup"
