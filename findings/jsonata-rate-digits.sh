#!/bin/sh
# jsonata 2.2.2, the language of transformations in AWS Step Functions, keeps 15 digits of a number with a fraction where it becomes text,
# by `$string` or `&`, also inside an object: the rate 0.8571428571428571 is 0.857142857142857, and the amount 12345678901234.56 loses
# its last digit. A whole number of 16 digits is kept, and what no text is made of, too: JSON.stringify of the same value, as
# a result is sent, has all digits. A payload and its text for a signature or a key do not agree. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund jsonata@2.2.2
cat > evaluate.mjs <<'END'
import jsonata from "jsonata";

for (const rate of [6 / 7, 12345678901234.56, 1234567890123457]) {
  const run = (expression) => jsonata(expression).evaluate({ rate });
  const sent = JSON.stringify(await run('{"rate": rate}'));
  console.log(`${sent}: text ${await run('"" & rate')}, object ${await run('$string({"rate": rate})')}`);
}
END
seen=$(node evaluate.mjs)
printf '%s\n' "$seen"
test "$seen" = '{"rate":0.8571428571428571}: text 0.857142857142857, object {"rate":0.857142857142857}
{"rate":12345678901234.56}: text 12345678901234.6, object {"rate":12345678901234.6}
{"rate":1234567890123457}: text 1234567890123457, object {"rate":1234567890123457}'
