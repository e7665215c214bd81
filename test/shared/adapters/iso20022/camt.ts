import { iso20022 } from "../../../../shared/adapters/iso20022/iso20022.ts";
import type { BankRecord } from "../../../../shared/contract/bank.ts";

/** Builds the files of a bank; the parts are XML. */

export const account = "DE89370400440532013000";

/** The records of a file that is read. */
export function recordsIn(text: string): readonly BankRecord[] {
  const found = iso20022.readFile(Buffer.from(text));
  if ("reason" in found) throw new Error(found.reason);
  return found;
}

export const notificationOf = (account: string, ...entries: string[]) =>
  `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.054.001.08"><BkToCstmrDbtCdtNtfctn>
<GrpHdr><MsgId>M1</MsgId><CreDtTm>2026-11-23T12:00:00</CreDtTm></GrpHdr>
<Ntfctn><Id>N1</Id><Acct><Id><IBAN>${account}</IBAN></Id></Acct>${entries.join("\n")}</Ntfctn>
</BkToCstmrDbtCdtNtfctn></Document>
`;

/** The same as a camt.053. */
export const statementOf = (notification: string) =>
  notification
    .replace("camt.054", "camt.053")
    .replaceAll("BkToCstmrDbtCdtNtfctn", "BkToCstmrStmt")
    .replaceAll("Ntfctn>", "Stmt>");

/** Of the sum of its details, or of 12.50. */
export const entryOf = (...parts: string[]) => {
  const details = parts.flatMap((part) => part.match(/<TxDtls>.*?<\/TxDtls>/gs) ?? []);
  const amounts = details.flatMap((one) => one.match(/(?<=<Amt Ccy="USD">)\d[\d.]*/) ?? []);
  const sum = amounts.reduce((total, amount) => total + Number(amount), 0);
  return entryOfAmount(amounts.length > 0 ? sum.toFixed(2) : "12.50", ...parts);
};

export const entryOfAmount = (amount: string, ...parts: string[]) =>
  `<Ntry>${amountOf(amount)}<CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>${parts.join("")}</Ntry>`;

export const detailsOf = (...transactions: string[]) =>
  `<NtryDtls>${transactions.map((one) => `<TxDtls>${one}</TxDtls>`).join("")}</NtryDtls>`;

export const refsOf = (reference: string, endToEndId = "NOTPROVIDED") =>
  `<Refs><AcctSvcrRef>${reference}</AcctSvcrRef><EndToEndId>${endToEndId}</EndToEndId></Refs>`;

export const amountOf = (amount: string, currency = "USD") => `<Amt Ccy="${currency}">${amount}</Amt>`;

export const textOf = (...texts: string[]) =>
  `<RmtInf>${texts.map((one) => `<Ustrd>${one}</Ustrd>`).join("")}</RmtInf>`;

/** Of the original payment. */
export const collectedOn = (account: string) =>
  `<OrgnlTxRef><CdtrAcct><Id><IBAN>${account}</IBAN></Id></CdtrAcct></OrgnlTxRef>`;

export const returnOf = (...transactions: string[]) =>
  `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09"><PmtRtr>
<GrpHdr><MsgId>R1</MsgId><CreDtTm>2026-11-23T12:00:00</CreDtTm><NbOfTxs>1</NbOfTxs></GrpHdr>
${transactions.map((one) => `<TxInf>${one}</TxInf>`).join("\n")}
</PmtRtr></Document>
`;
