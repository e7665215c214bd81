import { createHash } from "node:crypto";
import { countDecimals, toDecimal } from "../../contract/currencies.ts";
import type { StatementLine, StatementLineType } from "../../contract/statements.ts";
import type { Form, Sheet } from "./sheet.ts";

const namespace = "urn:iso:std:iso:20022:tech:xsd:camt.053.001.08";

/** ISO 20022 bank transaction codes: family and subfamily of the domain PMNT. */
const codes: Readonly<Record<StatementLineType, readonly [family: string, subFamily: string]>> = {
  purchase: ["CCRD", "POSD"],
  refund: ["CCRD", "RIMB"],
  refund_reversal: ["CCRD", "DAJT"],
  cash: ["CCRD", "CWDL"],
  fee: ["CCRD", "FEES"],
  fee_reversal: ["CCRD", "CAJT"],
  deposit: ["RCDT", "OTHR"],
  deposit_return: ["RCDT", "RRTN"],
  payout: ["ICDT", "DMCT"],
  payout_return: ["ICDT", "RRTN"],
  transfer_in: ["RCDT", "BOOK"],
  transfer_out: ["ICDT", "BOOK"],
  dispute: ["CCRD", "OTHR"],
  debt_settled: ["CCRD", "CAJT"],
  funding: ["RCDT", "BOOK"],
};

/** A withdrawal's fee, and what a Wallet pays for a Card. */
const sharing: Partial<Record<StatementLineType, string>> = { fee: "-F", funding: "-W" };

/** camt.053.001.08: one message with one statement. Amounts are positive, with their direction. */
export const camt053Form: Form = {
  head: (sheet) => {
    const {
      period,
      closed,
      sequence,
      start,
      end,
      madeAt,
      accountId,
      currency,
      name,
      programId,
      programName,
    } = sheet;
    const id = identify(sheet);
    const other = element("Othr", element("Id", accountId));
    const account = element("Id", other) + element("Ccy", currency) + textElement("Nm", name, 70);
    // Some readers take no account without who keeps it.
    const keeper = textElement("Nm", programName, 140) + element("Othr", element("Id", programId));
    return [
      `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${namespace}"><BkToCstmrStmt>`,
      element("GrpHdr", element("MsgId", id) + element("CreDtTm", madeAt)),
      `<Stmt>${element("Id", id)}${element("ElctrncSeqNb", String(sequence))}${element("CreDtTm", madeAt)}`,
      element("FrToDt", element("FrDtTm", start) + element("ToDtTm", closed ? end : madeAt)),
      element("Acct", account + element("Svcr", element("FinInstnId", keeper))),
      balance("OPBD", sheet, sheet.openingMinor, `${period}-01`),
      // The balance of a month that goes on is an interim one.
      balance(closed ? "CLBD" : "ITBD", sheet, sheet.closingMinor, sheet.lastDay),
      "\n",
    ].join("");
  },
  line: (sheet, line) => `${toEntry(sheet, line)}\n`,
  tail: () => "</Stmt></BkToCstmrStmt></Document>\n",
};

/** It has at most 35 characters, and differs for another content. */
function identify({ accountId, period, closed, entries, hash, madeAt }: Sheet): string {
  const ulid = accountId.slice(accountId.indexOf("_") + 1);
  if (closed) return `${ulid}-${period}`;
  return createHash("sha256")
    .update(`${ulid} ${period} ${entries} ${hash} ${madeAt}`)
    .digest("hex")
    .slice(0, 35);
}

function toEntry(sheet: Sheet, { type, date, description, amount, transId, journalEntryId }: StatementLine) {
  // Lines that share a journal entry: receivers know entries by this reference.
  const reference = `${journalEntryId}${sharing[type] ?? ""}`;
  const isPaidOut = type === "funding" && amount < 0;
  const [family, subFamily] = codes[isPaidOut ? "transfer_out" : type];
  const code = element("Cd", family) + element("SubFmlyCd", subFamily);
  const details = element("Refs", element("AcctSvcrRef", reference)) + remittance(description);
  return element(
    "Ntry",
    [
      element("NtryRef", transId),
      money(sheet, amount),
      element("Sts", element("Cd", "BOOK")),
      element("BookgDt", element("Dt", date)),
      element("ValDt", element("Dt", date)),
      element("AcctSvcrRef", reference),
      element("BkTxCd", element("Domn", element("Cd", "PMNT") + element("Fmly", code))),
      element("NtryDtls", element("TxDtls", details)),
      textElement("AddtlNtryInf", description, 500),
    ].join(""),
  );
}

function remittance(description: string): string {
  const text = textElement("Ustrd", description, 140);
  return text && element("RmtInf", text);
}

function balance(type: string, sheet: Sheet, amountMinor: number, day: string): string {
  const code = element("Tp", element("CdOrPrtry", element("Cd", type)));
  return element("Bal", code + money(sheet, amountMinor) + element("Dt", element("Dt", day)));
}

function money({ currency }: Sheet, amountMinor: number): string {
  const amount = `<Amt Ccy="${currency}">${toDecimal(Math.abs(amountMinor), countDecimals(currency))}</Amt>`;
  return amount + element("CdtDbtInd", amountMinor < 0 ? "DBIT" : "CRDT");
}

function element(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** Empty without text: the schema allows no empty one. */
function textElement(name: string, given: string, maximumLength: number): string {
  const text = [...printable(given)].slice(0, maximumLength).join("").trim();
  return text === "" ? "" : element(name, escapeText(text));
}

/** XML has no control characters and no halves of surrogate pairs. */
function printable(text: string): string {
  return text.toWellFormed().replaceAll(/[\p{Cc}\uFFFE\uFFFF]/gu, " ");
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
