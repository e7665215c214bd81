#!/bin/sh
# iso20022.js 0.0.15 reads texts of a camt.053 that look like numbers as numbers. The account 0012345678 becomes 12345678, the
# bank's routing number 021000021 becomes 21000021, a digit too short, and the remittance information 0042, which names an
# invoice, 42; the schema has all three as text. And 1000 JPY are 100000 minor units, though the yen has none
# (ISO 4217), and 1.234 KWD are 123.4. Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund iso20022.js@0.0.15
cat > read.mjs <<'END'
import { CashManagementEndOfDayReport } from "iso20022.js";

const on = "<Dt><Dt>2026-11-27</Dt></Dt>";
const statement = (currency, amount) => `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt>
<GrpHdr><MsgId>M-1</MsgId><CreDtTm>2026-11-27T10:00:00Z</CreDtTm></GrpHdr>
<Stmt><Id>S-1</Id><CreDtTm>2026-11-27T10:00:00Z</CreDtTm><Acct><Id><Othr><Id>0012345678</Id></Othr></Id>
<Svcr><FinInstnId><Othr><Id>021000021</Id></Othr></FinInstnId></Svcr></Acct>
<Bal><Tp><CdOrPrtry><Cd>CLBD</Cd></CdOrPrtry></Tp><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd>${on}</Bal>
<Ntry><Amt Ccy="${currency}">${amount}</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>
<BookgDt><Dt>2026-11-27</Dt></BookgDt><BkTxCd><Prtry><Cd>NTRF</Cd></Prtry></BkTxCd>
<NtryDtls><TxDtls><RmtInf><Ustrd>0042</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`;

const read = (currency, amount) => CashManagementEndOfDayReport.fromXML(statement(currency, amount)).statements[0];
const { account, agent, entries } = read("USD", "1.00");
const [{ remittanceInformation }] = entries[0].transactions;
console.log(`account ${account.accountNumber}, bank ${agent.routingNumber}, remittance ${remittanceInformation}`);
for (const [currency, amount] of [["JPY", "1000"], ["KWD", "1.234"]])
  console.log(`${amount} ${currency}: ${read(currency, amount).entries[0].amount}`);
END
seen=$(node read.mjs)
echo "$seen"
test "$seen" = "account 12345678, bank 21000021, remittance 42
1000 JPY: 100000
1.234 KWD: 123.4"
