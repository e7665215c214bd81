import type { Random } from "../random.ts";

/** Parts of a bank's files, as XML. Days are counted from 0. */

export type Kind = "camt.053" | "camt.054";

export const days = [0, 1, 2] as const;
export const dayOf = (day: number) => `2026-12-${10 + day}`;
export const money = (minor: number) => `<Amt Ccy="USD">${toDecimal(minor)}</Amt>`;
const toDecimal = (minor: number) => (minor / 100).toFixed(2);

/** With what is there. */
export const elements = (...all: readonly (string | false | undefined)[]) =>
  all.filter((one) => one !== false && one !== undefined).join("");

export const references = (...all: readonly (string | false | undefined)[]) => {
  const found = elements(...all);
  return found === "" ? "" : `<Refs>${found}</Refs>`;
};

/** How an entry says that money came back, if it does. */
export type Mark = "RvslInd" | "RtrInf" | "code" | undefined;

export function entryOf(entry: {
  readonly direction: "CRDT" | "DBIT";
  readonly amount: number;
  readonly day: number | undefined;
  readonly reference?: string | undefined;
  readonly mark?: Mark;
  readonly details: readonly string[];
  /** Its `PmtInfId`, in place of details. */
  readonly batch?: string | undefined;
}): string {
  const { direction, amount, day, reference, mark, details, batch } = entry;
  const date = day !== undefined && `<Dt>${dayOf(day)}</Dt>`;
  const code = `<Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn>`;
  const reason = mark === "RtrInf" ? "<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>" : "";
  const payments = details.map((one) => `<TxDtls>${one}${reason}</TxDtls>`);
  const told = batch === undefined ? payments.join("") : `<Btch><PmtInfId>${batch}</PmtInfId></Btch>`;
  return elements(
    `<Ntry>${money(amount)}<CdtDbtInd>${direction}</CdtDbtInd>`,
    mark === "RvslInd" && "<RvslInd>true</RvslInd>",
    "<Sts><Cd>BOOK</Cd></Sts>",
    date && `<BookgDt>${date}</BookgDt><ValDt>${date}</ValDt>`,
    reference !== undefined && `<AcctSvcrRef>${reference}</AcctSvcrRef>`,
    mark === "code" && `<BkTxCd>${code}</BkTxCd>`,
    told && `<NtryDtls>${told}</NtryDtls>`,
    "</Ntry>",
  );
}

export function reportOf(
  kind: Kind,
  report: {
    readonly id: string;
    readonly message: string;
    readonly account: string;
    readonly entries: readonly string[];
    readonly time?: string | undefined;
    readonly sequence?: number | undefined;
    readonly page?: { readonly number: number; readonly isLast: boolean } | undefined;
  },
): string {
  const { id, message, account, entries, time, sequence, page } = report;
  const [body, name] = kind === "camt.053" ? ["BkToCstmrStmt", "Stmt"] : ["BkToCstmrDbtCdtNtfctn", "Ntfctn"];
  const made = time !== undefined && `<CreDtTm>${time}</CreDtTm>`;
  return elements(
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}.001.08"><${body}>`,
    `<GrpHdr><MsgId>${message}</MsgId>`,
    made,
    `</GrpHdr><${name}><Id>${id}</Id>`,
    page && `<StmtPgntn><PgNb>${page.number}</PgNb><LastPgInd>${page.isLast}</LastPgInd></StmtPgntn>`,
    sequence !== undefined && `<ElctrncSeqNb>${sequence}</ElctrncSeqNb>`,
    made,
    `<Acct><Id><IBAN>${account}</IBAN></Id></Acct>${entries.join("")}</${name}></${body}></Document>`,
  );
}

/** A pacs.004 of one payment. */
export function returnMessageOf(returned: {
  readonly name: string;
  readonly day: number;
  readonly amount: number;
  /** `OrgnlEndToEndId` and others. */
  readonly original: string;
  readonly account?: string;
}): string {
  const { name, day, amount, original, account } = returned;
  return elements(
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09"><PmtRtr>',
    `<GrpHdr><MsgId>M${name}</MsgId><CreDtTm>${dayOf(day)}T09:00:00</CreDtTm><NbOfTxs>1</NbOfTxs></GrpHdr>`,
    `<TxInf><RtrId>I${name}</RtrId>${original}`,
    `<RtrdIntrBkSttlmAmt Ccy="USD">${toDecimal(amount)}</RtrdIntrBkSttlmAmt>`,
    account !== undefined && `<OrgnlTxRef><CdtrAcct><Id><IBAN>${account}</IBAN></Id></CdtrAcct></OrgnlTxRef>`,
    "</TxInf></PmtRtr></Document>",
  );
}

/** A file, and when it comes. */
export interface Sent {
  readonly text: string;
  readonly at: number;
}

/** Some come again, in another file or message; some come late, or all in any order. */
export function inSomeOrder(random: Random, sent: readonly Sent[]): string[] {
  const again = sent
    .filter(() => random.chance(0.25))
    .map(({ text, at }) => ({
      text: random.chance(0.5) ? `${text}\n` : text.replace("<MsgId>", "<MsgId>A"),
      at: at + random.below(15),
    }));
  const inTime = [...sent, ...again].toSorted((one, other) => one.at - other.at);
  return (random.chance(0.3) ? random.shuffle(inTime) : inTime).map(({ text }) => text);
}
