#!/bin/sh
# jmespath 0.16.0 and @jmespath-community/jmespath 1.3.0 sort numbers as texts: `sort` of 10, 9 and 100 gives 10, 100, 9, and of -1, -10 and
# 0.5 the -1 first. The specification (jmespath.org, `sort`) has lists of texts or of numbers, and the order of code points for texts.
# `sort_by` orders the same numbers by value, and so does all of @aws-lambda-powertools/jmespath 2.36.0. `sort(amounts)[-1]` is not the
# largest amount, and nothing raises an error. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund jmespath@0.16.0 @jmespath-community/jmespath@1.3.0 @aws-lambda-powertools/jmespath@2.36.0
cat > sort.cjs <<'END'
const community = require("@jmespath-community/jmespath");
const jmespath = require("jmespath");
const { search } = require("@aws-lambda-powertools/jmespath");

const payments = { amounts: [10, 9, 100], entries: [10, 9, 100].map((amount) => ({ amount })), sums: [-1, -10, 0.5] };
const libraries = {
  jmespath: (expression) => jmespath.search(payments, expression),
  community: (expression) => community.search(payments, expression),
  powertools: (expression) => search(expression, payments),
};
for (const [name, find] of Object.entries(libraries)) {
  const found = ["sort(amounts)", "sort(sums)", "sort_by(entries, &amount)[].amount"].map(find);
  console.log(`${name}: ${JSON.stringify(found)}`);
}
END
seen=$(node sort.cjs)
echo "$seen"
test "$seen" = "jmespath: [[10,100,9],[-1,-10,0.5],[9,10,100]]
community: [[10,100,9],[-1,-10,0.5],[9,10,100]]
powertools: [[9,10,100],[-10,-1,0.5],[9,10,100]]"
