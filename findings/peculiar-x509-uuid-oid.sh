#!/bin/sh
# @peculiar/x509 2.2.0 (with asn1js 3.1.0 and @peculiar/asn1-schema 2.11.1) reads an object identifier made of a UUID, as ITU-T X.667 has
# them, as `2.25`: an extension that OpenSSL wrote is not found by its identifier. In a certificate that it issues,
# the identifier is `2.25` too, and nothing raises an error. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @peculiar/x509@2.2.0 asn1js@3.1.0 @peculiar/asn1-schema@2.11.1 reflect-metadata@0.2.2
uuid=2.25.329800735698586629295641978511506172918
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out openssl.pem -subj /CN=example \
  -addext "2.25.305419896=ASN1:NULL" -addext "$uuid=ASN1:NULL" 2>/dev/null
cat > extensions.mjs <<'END'
import "reflect-metadata";
import { readFileSync, writeFileSync } from "node:fs";
import { Extension, X509Certificate, X509CertificateGenerator } from "@peculiar/x509";

const { extensions } = new X509Certificate(readFileSync("openssl.pem", "utf8"));
const read = extensions.map(({ type }) => type).filter((type) => type.startsWith("2.25"));
console.log(`of OpenSSL, read: ${read.join(" ")}`);
const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const issued = await X509CertificateGenerator.createSelfSigned({
  ...{ serialNumber: "01", name: "CN=example", signingAlgorithm },
  keys: await crypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]),
  extensions: process.argv.slice(2).map((type) => new Extension(type, false, Uint8Array.of(5, 0))),
});
writeFileSync("issued.pem", issued.toString("pem"));
END
openssl_reads() { openssl x509 -in "$1" -noout -text | grep -o '2\.25[.0-9]*' | tr '\n' ' '; }
seen="of OpenSSL: $(openssl_reads openssl.pem)
$(node extensions.mjs 2.25.305419896 "$uuid")
issued, read by OpenSSL: $(openssl_reads issued.pem)"
echo "$seen"
test "$seen" = "of OpenSSL: 2.25.305419896 $uuid 
of OpenSSL, read: 2.25.305419896 2.25
issued, read by OpenSSL: 2.25.305419896 2.25 "
