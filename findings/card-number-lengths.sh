#!/bin/sh
# Three validators do not take the numbers that networks have. validator 13.15.35 refuses UnionPay's numbers of 19 digits, and Diners Club's
# of 16, though its page names both; payment 2.4.7 refuses Visa's and Discover's of 19, and knows no UnionPay in 81; creditcards 5.0.0 calls
# each UnionPay card in 62 a Maestro, since its list has Maestro first, and refuses those in 81. card-validator 10.0.4 takes
# and names all of them. A number is 8 to 19 digits (ISO/IEC 7812-1). Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund validator@13.15.35 payment@2.4.7 creditcards@5.0.0 card-validator@10.0.4
cat > numbers.cjs <<'END'
const { number: read } = require("card-validator");
const { card } = require("creditcards");
const { fns } = require("payment");
const { isCreditCard } = require("validator");

/** What is no card's number: a beginning, zeros, and the check digit of Luhn's. */
function numberOf(beginning, length) {
  const zeros = beginning.padEnd(length - 1, "0");
  const counted = [...zeros].reverse().map((digit, index) => (index % 2 ? +digit : ((2 * digit) % 10) + (digit > 4 ? 1 : 0)));
  const sum = counted.reduce((so, digit) => so + digit, 0);
  return `${zeros}${(10 - (sum % 10)) % 10}`;
}
for (const [name, beginning, length] of [
  ["Visa", "4", 16],
  ["Visa", "4", 19],
  ["Discover", "6011", 19],
  ["Diners Club", "38", 16],
  ["UnionPay", "62", 16],
  ["UnionPay", "62", 19],
  ["UnionPay", "8171", 16],
]) {
  const number = numberOf(beginning, length);
  const ofCreditcards = card.isValid(number) ? card.type(number) : "refused";
  const ofPayment = fns.validateCardNumber(number) ? fns.cardType(number) : "refused";
  const ofValidator = isCreditCard(number) ? "taken" : "refused";
  const ofOther = read(number).isValid ? read(number).card.type : "refused";
  const ofFirst = `validator ${ofValidator}, payment ${ofPayment}`;
  console.log(`${name} ${beginning}, ${length}: ${ofFirst}, creditcards ${ofCreditcards}, card-validator ${ofOther}`);
}
END
seen=$(node numbers.cjs)
echo "$seen"
test "$seen" = "Visa 4, 16: validator taken, payment visa, creditcards Visa, card-validator visa
Visa 4, 19: validator taken, payment refused, creditcards Visa, card-validator visa
Discover 6011, 19: validator taken, payment refused, creditcards refused, card-validator discover
Diners Club 38, 16: validator refused, payment refused, creditcards Diners Club, card-validator diners-club
UnionPay 62, 16: validator taken, payment unionpay, creditcards Maestro, card-validator unionpay
UnionPay 62, 19: validator refused, payment unionpay, creditcards Maestro, card-validator unionpay
UnionPay 8171, 16: validator taken, payment refused, creditcards refused, card-validator unionpay"
