#!/bin/sh
# validator 13.15.35 refuses VAT numbers that companies have. Of Great Britain it takes one with spaces in certain places alone, where
# others are to have none; of Ireland none with two letters (VIES: 9999999WI); and of Northern Ireland's,
# XI, it knows not the code. jsvat 2.5.4 takes the first two, and has no XI either. A business that is to be verified is
# told that its number is wrong. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund validator@13.15.35 jsvat@2.5.4
cat > numbers.cjs <<'END'
const jsvat = require("jsvat");
const { isVAT } = require("validator");

const countries = Object.values(jsvat).filter(({ codes }) => codes);
const read = (number) => {
  try {
    return isVAT(number, number.slice(0, 2));
  } catch (error) {
    return error.name;
  }
};
for (const number of ["DE136695976", "GB980780684", "GB980 7806 84", "GB 980780684", "IE1234567T", "IE1234567FA", "XI980780684"])
  console.log(`${number}: validator ${read(number)}, jsvat ${jsvat.checkVAT(number, countries).isValid}`);
END
seen=$(node numbers.cjs)
echo "$seen"
test "$seen" = "DE136695976: validator true, jsvat true
GB980780684: validator false, jsvat true
GB980 7806 84: validator true, jsvat true
GB 980780684: validator false, jsvat true
IE1234567T: validator true, jsvat true
IE1234567FA: validator false, jsvat true
XI980780684: validator Error, jsvat false"
