#!/bin/sh
# iso20022.js 0.0.15 gives a camt.053's amounts in minor units that are no whole numbers (1.15 EUR is
# 114.99999999999999, 8.20 EUR 819.9999999999999), so sums of entries miss their closing balance. An entry with
# RvslInd `true` has `reversal: false`. And a statement that names its bank by BICFI, as versions from 03 on do, or
# that has no Svcr, which ISO 20022 leaves open, raises a TypeError. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund iso20022.js@0.0.15
cat > read.mjs <<'END'
import { CashManagementEndOfDayReport } from "iso20022.js";

const on = "<Dt><Dt>2026-11-27</Dt></Dt>";
const amount = (euros) => `<Amt Ccy="EUR">${euros}</Amt>`;
const balance = (type, euros) =>
  `<Bal><Tp><CdOrPrtry><Cd>${type}</Cd></CdOrPrtry></Tp>${amount(euros)}<CdtDbtInd>CRDT</CdtDbtInd>${on}</Bal>`;
const entry = (euros, reversal = "") =>
  `<Ntry>${amount(euros)}<CdtDbtInd>CRDT</CdtDbtInd>${reversal}<Sts><Cd>BOOK</Cd></Sts>
  <BookgDt><Dt>2026-11-27</Dt></BookgDt><BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd></Ntry>`;
const statement = (bank) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-11-27T10:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S-1</Id><CreDtTm>2026-11-27T10:00:00Z</CreDtTm>
<Acct><Id><IBAN>DE89370400440532013000</IBAN></Id>${bank}</Acct>
${balance("OPBD", "0.00")}${balance("CLBD", "9.35")}
${entry("1.15")}${entry("8.20", "<RvslInd>true</RvslInd>")}</Stmt></BkToCstmrStmt></Document>`;

const servicer = (id) => `<Svcr><FinInstnId>${id}</FinInstnId></Svcr>`;
const read = (bank) => CashManagementEndOfDayReport.fromXML(statement(bank)).statements[0];
const { entries, balances } = read(servicer("<Othr><Id>100</Id></Othr>"));
for (const { amount, reversal } of entries) console.log(`entry ${amount}, reversal ${reversal}`);
console.log(`sum ${entries[0].amount + entries[1].amount}, closing ${balances[1].amount}`);
const others = { "with BICFI": servicer("<BICFI>COBADEFFXXX</BICFI>"), "without Svcr": "" };
for (const [name, bank] of Object.entries(others))
  try {
    console.log(`${name}: ${read(bank).entries.length} entries`);
  } catch (error) {
    console.log(`${name}: ${error.name}`);
  }
END
seen=$(node read.mjs)
echo "$seen"
test "$seen" = "entry 114.99999999999999, reversal false
entry 819.9999999999999, reversal false
sum 934.9999999999999, closing 935
with BICFI: TypeError
without Svcr: TypeError"
