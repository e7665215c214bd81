#!/bin/sh
# camt-parser 1.1.0 says that it reads camt.053.001.08, but gives no amount for the payments of a batch: an entry of 1.10 with
# two `TxDtls` of 0.60 and 0.50, each in the `Amt` that this version has for it, comes back with two details whose amounts are
# empty texts. It looks only into `AmtDtls/TxAmt`, an optional element. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund camt-parser@1.1.0
cat > details.cjs <<'END'
const { parseCamt053 } = require("camt-parser");

const payment = (endToEndId, amount, more = "") =>
  `<TxDtls><Refs><EndToEndId>${endToEndId}</EndToEndId></Refs><Amt Ccy="EUR">${amount}</Amt>` +
  `<CdtDbtInd>CRDT</CdtDbtInd>${more}</TxDtls>`;
const inDetails = '<AmtDtls><TxAmt><Amt Ccy="EUR">0.50</Amt></TxAmt></AmtDtls>';
const statementOf = (payments) =>
  '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>' +
  "<GrpHdr><MsgId>MESSAGE</MsgId><CreDtTm>2026-03-03T00:00:00</CreDtTm></GrpHdr>" +
  "<Stmt><Id>STATEMENT</Id><CreDtTm>2026-03-03T00:00:00</CreDtTm>" +
  "<Acct><Id><IBAN>DE02120300000000202051</IBAN></Id><Ccy>EUR</Ccy></Acct>" +
  '<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">1.10</Amt>' +
  "<CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>2026-03-02</Dt></Dt></Bal>" +
  '<Ntry><Amt Ccy="EUR">1.10</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>' +
  "<BookgDt><Dt>2026-03-02</Dt></BookgDt><BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd>" +
  `<NtryDtls>${payments.join("")}</NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;

async function print(name, payments) {
  const document = await parseCamt053(statementOf(payments));
  const [entry] = document.statements[0].transactions;
  const amounts = entry.details.map(({ amountDetails }) => `"${amountDetails.transactionAmount.value}"`);
  console.log(`${name}: entry ${entry.amount.value}, details ${amounts.join(" ")}`);
}
const first = payment("FIRST", "0.60");
print("with Amt", [first, payment("SECOND", "0.50")]).then(() =>
  print("the second with AmtDtls too", [first, payment("SECOND", "0.50", inDetails)]),
);
END
seen=$(node details.cjs)
echo "$seen"
test "$seen" = 'with Amt: entry 1.10, details "" ""
the second with AmtDtls too: entry 1.10, details "" "0.50"'
