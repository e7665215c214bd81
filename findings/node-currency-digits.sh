#!/bin/sh
# Node formats forints (HUF), Colombian pesos (COP), rupiahs (IDR) and Pakistani rupees (PKR) without decimals from ICU 78 on: of
# 1,234.56, Node 22.12.0 shows 1,234.56 and 24.21.0 shows 1,235, and `maximumFractionDigits` is 0. ISO 4217 has two for each, and so
# has whoever sends minor units: code that takes an amount's decimals from `Intl` is off by a hundred after an update. The data are
# CLDR's, which say how people write prices (UTS 35, part 3, `digits`), not what a minor unit is. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund old@npm:node@22.12.0 new@npm:node@24.21.0
cat > format.cjs <<'END'
const format = (currency) => new Intl.NumberFormat("en", { style: "currency", currency, currencyDisplay: "code" });
const currencies = ["HUF", "COP", "IDR", "PKR", "EUR"];
const texts = currencies.map((currency) => format(currency).format(1234.56).replace("\u00a0", " "));
const decimals = currencies.map((currency) => format(currency).resolvedOptions().maximumFractionDigits);
console.log(`${process.version}: ${texts.join(" ")}, decimals ${decimals.join(" ")}`);
END
seen=$(for version in old new; do "$(find "node_modules/$version" -path '*bin/node' -type f | head -1)" format.cjs; done)
echo "$seen"
test "$seen" = "v22.12.0: HUF 1,234.56 COP 1,234.56 IDR 1,234.56 PKR 1,234.56 EUR 1,234.56, decimals 2 2 2 2 2
v24.21.0: HUF 1,235 COP 1,235 IDR 1,235 PKR 1,235 EUR 1,234.56, decimals 0 0 0 0 2"
