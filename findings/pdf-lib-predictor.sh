#!/bin/sh
# @cantoo/pdf-lib 2.11.1 inflates a stream, but does not undo its Predictor: decodePDFRawStream answers the
# PNG rows with their filter bytes, without an error, where ISO 32000 (7.4.4.4) has the bytes before the filter.
# Cross-reference and object streams are usually written so. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund @cantoo/pdf-lib@2.11.1
cat > decode.cjs <<'END'
const { deflateSync } = require("node:zlib");
const { PDFContext, PDFRawStream, decodePDFRawStream } = require("@cantoo/pdf-lib");
// Two rows of four bytes, 1 2 3 4 and 5 6 7 8, the second as its difference from the first ("Up").
const rows = Uint8Array.of(2, 1, 2, 3, 4, 2, 4, 4, 4, 4);
const dictionary = PDFContext.create().obj({
  Filter: "FlateDecode",
  DecodeParms: { Predictor: 12, Columns: 4 },
});
const decoded = decodePDFRawStream(PDFRawStream.of(dictionary, deflateSync(rows))).decode();
console.log(`seen ${decoded.join(" ")}`);
END
seen=$(node decode.cjs)
echo "$seen; without the predictor it would be 1 2 3 4 5 6 7 8"
test "$seen" = "seen 2 1 2 3 4 2 4 4 4 4"
