import type { Random } from "../random.ts";
import { type AccountHistory, type Booked, days, type Payment, type Returned } from "./account.ts";

/** How a bank tells of an account: the same way each time. */
export interface Habits {
  readonly kinds: readonly Kind[];
  /** Of entries, of payments, of none, or none but in name. */
  readonly servicerReference: "entry" | "payment" | "none" | "filler";
  /** A notification and a statement have two for one entry. */
  readonly hasTwoReferences: boolean;
  readonly hasUetr: boolean;
  readonly hasTransactionId: boolean;
  readonly hasEndToEnd: boolean;
  readonly hasDays: boolean;
  readonly hasDebtors: boolean;
  readonly hasTexts: boolean;
  /** Statements have only the sum of what was booked at once. */
  readonly hasSums: boolean;
  readonly isNumbered: boolean;
  readonly isTimed: boolean;
  readonly pages: 1 | 2;
  /** A notification for each entry. */
  readonly isEach: boolean;
  readonly returnsBy: readonly ("entry" | "message")[];
  readonly returnMark: "RvslInd" | "RtrInf" | "code";
}

type Kind = "camt.053" | "camt.054";

export function drawHabits(random: Random): Habits {
  return {
    kinds: random.pick([["camt.053"], ["camt.054"], ["camt.054", "camt.053"], ["camt.054", "camt.053"]]),
    servicerReference: random.pick(["entry", "payment", "none", "filler"]),
    hasTwoReferences: random.chance(0.3),
    hasUetr: random.chance(0.2),
    hasTransactionId: random.chance(0.2),
    hasEndToEnd: random.chance(0.6),
    hasDays: random.chance(0.8),
    hasDebtors: random.chance(0.6),
    hasTexts: random.chance(0.7),
    hasSums: random.chance(0.4),
    isNumbered: random.chance(0.6),
    isTimed: random.chance(0.8),
    pages: random.pick([1, 1, 2]),
    isEach: random.chance(0.5),
    returnsBy: random.pick([["entry"], ["message"], ["entry", "message"]]),
    returnMark: random.pick(["RvslInd", "RtrInf", "code"]),
  };
}

/** The files as they come: some a second time, some late, some in any order. */
export function drawFiles(
  random: Random,
  history: AccountHistory,
  habits: Habits,
  account: string,
): string[] {
  const sent = days.flatMap((day) => {
    const back = history.returned.filter((one) => one.day === day);
    const messages = habits.returnsBy.includes("message") ? back : [];
    const entries = [
      ...history.booked.filter((one) => one.day === day).map((one) => toCredit(one, habits)),
      ...(habits.returnsBy.includes("entry") ? back.map((one) => toDebit(one, habits)) : []),
    ];
    const texts = entries.length === 0 ? [] : habits.kinds.map((kind) => toReports(kind, entries, day));
    const own = [...texts.flat(), ...messages.map((one) => toMessage(one, habits, account))];
    return own.map((text, index) => ({ text, at: day * 10 + index }));
  });
  // Again with the same content: in a file that is otherwise written, or in another message.
  const again = sent
    .filter(() => random.chance(0.25))
    .map(({ text, at }) => ({
      text: random.chance(0.5) ? `${text}\n` : text.replace("<MsgId>", "<MsgId>A"),
      at: at + random.below(15),
    }));
  const inTime = [...sent, ...again].toSorted((one, other) => one.at - other.at);
  return (random.chance(0.3) ? random.shuffle(inTime) : inTime).map(({ text }) => text);

  function toReports(kind: Kind, entries: readonly Entry[], day: number): string[] {
    const written = entries.map((entry) => entry(kind));
    const count = kind === "camt.053" ? habits.pages : habits.isEach ? written.length : 1;
    const size = Math.ceil(written.length / count);
    const parts = Array.from({ length: Math.ceil(written.length / size) }, (_, page) =>
      written.slice(page * size, (page + 1) * size),
    );
    const [message, statement] =
      kind === "camt.053" ? ["BkToCstmrStmt", "Stmt"] : ["BkToCstmrDbtCdtNtfctn", "Ntfctn"];
    const [{ name } = { name: "" }] = history.booked;
    return parts.map((part, page) => {
      const time = habits.isTimed
        ? `<CreDtTm>${dayOf(day)}T${kind === "camt.053" ? 23 : 10 + page}:00:00</CreDtTm>`
        : "";
      const isPaged = kind === "camt.053" && parts.length > 1;
      const number =
        habits.isNumbered && kind === "camt.053" ? `<ElctrncSeqNb>${day + 1}</ElctrncSeqNb>` : "";
      const id = `${name}${kind}${day}${kind === "camt.053" ? "" : page}`;
      return (
        `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${kind}.001.08"><${message}>` +
        `<GrpHdr><MsgId>${id}${page}</MsgId>${time}</GrpHdr><${statement}><Id>${id}</Id>` +
        (isPaged
          ? `<StmtPgntn><PgNb>${page + 1}</PgNb><LastPgInd>${page === parts.length - 1}</LastPgInd></StmtPgntn>`
          : "") +
        `${number}${time}<Acct><Id><IBAN>${account}</IBAN></Id></Acct>${part.join("")}</${statement}></${message}></Document>`
      );
    });
  }
}

type Entry = (kind: Kind) => string;

const dayOf = (day: number) => `2026-11-${10 + day}`;
const money = (minor: number) => `<Amt Ccy="USD">${(minor / 100).toFixed(2)}</Amt>`;

function toCredit({ name, day, payments }: Booked, habits: Habits): Entry {
  return (kind) => {
    const isSum = kind === "camt.053" && habits.hasSums && payments.length > 1;
    const details = payments.map((one) => {
      const text =
        kind === "camt.054" || habits.hasTexts ? `<RmtInf><Ustrd>${one.text}</Ustrd></RmtInf>` : "";
      const debtor = habits.hasDebtors ? `<RltdPties><Dbtr><Nm>${one.payer}</Nm></Dbtr></RltdPties>` : "";
      const amount = payments.length > 1 || kind === "camt.054" ? money(one.amount) : "";
      return `<TxDtls>${referencesOf(one, one.name, kind, habits)}${amount}${debtor}${text}</TxDtls>`;
    });
    const sum = payments.reduce((total, one) => total + one.amount, 0);
    const own = isSum ? "" : `<NtryDtls>${details.join("")}</NtryDtls>`;
    return entryOf("CRDT", sum, day, name, kind, habits, own);
  };
}

function toDebit({ name, day, amount, of }: Returned, habits: Habits): Entry {
  const { returnMark } = habits;
  const code =
    "<BkTxCd><Domn><Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>RRTN</SubFmlyCd></Fmly></Domn></BkTxCd>";
  return (kind) => {
    const reason = returnMark === "RtrInf" ? "<RtrInf><Rsn><Cd>AC04</Cd></Rsn></RtrInf>" : "";
    const detail = `<TxDtls>${referencesOf(of, name, kind, habits)}${money(amount)}${reason}</TxDtls>`;
    const own = `${returnMark === "code" ? code : ""}<NtryDtls>${detail}</NtryDtls>`;
    return entryOf("DBIT", amount, day, name, kind, habits, own, returnMark === "RvslInd");
  };
}

function entryOf(
  direction: "CRDT" | "DBIT",
  minor: number,
  day: number,
  name: string,
  kind: Kind,
  habits: Habits,
  own: string,
  isReversal = false,
): string {
  const { servicerReference, hasDays } = habits;
  const given = servicerReference === "entry" ? servicerOf(name, kind, habits) : "";
  const reference = servicerReference === "filler" ? "<AcctSvcrRef>NONREF</AcctSvcrRef>" : given;
  const date = `<Dt>${dayOf(day)}</Dt>`;
  const booked = hasDays ? `<BookgDt>${date}</BookgDt><ValDt>${date}</ValDt>` : "";
  const reversal = isReversal ? "<RvslInd>true</RvslInd>" : "";
  return `<Ntry>${money(minor)}<CdtDbtInd>${direction}</CdtDbtInd>${reversal}<Sts><Cd>BOOK</Cd></Sts>${booked}${reference}${own}</Ntry>`;
}

const servicerOf = (name: string, kind: Kind, { hasTwoReferences }: Habits) =>
  `<AcctSvcrRef>${hasTwoReferences && kind === "camt.053" ? `X${name}` : name}</AcctSvcrRef>`;

/** Of the payment, but for the bank's own, which a return has, too. */
function referencesOf(of: Payment, name: string, kind: Kind, habits: Habits): string {
  const references = [
    habits.servicerReference === "payment" && servicerOf(name, kind, habits),
    habits.hasEndToEnd && `<EndToEndId>${of.endToEnd ?? "NOTPROVIDED"}</EndToEndId>`,
    habits.hasUetr && `<UETR>${uetrOf(of)}</UETR>`,
    habits.hasTransactionId && `<TxId>T${of.name}</TxId>`,
  ].filter((one) => one !== false);
  return references.length === 0 ? "" : `<Refs>${references.join("")}</Refs>`;
}

const uetrOf = ({ name }: Payment) =>
  `${Buffer.from(name).toString("hex").slice(-8)}-0000-4000-8000-${Buffer.from(name).toString("hex").slice(-12)}`;

function toMessage({ name, day, amount, of }: Returned, habits: Habits, account: string): string {
  const transaction = habits.hasTransactionId ? `T${of.name}` : of.name;
  const hasTransaction = habits.hasTransactionId || habits.servicerReference === "payment";
  const references = [
    habits.hasEndToEnd && `<OrgnlEndToEndId>${of.endToEnd ?? "NOTPROVIDED"}</OrgnlEndToEndId>`,
    hasTransaction && `<OrgnlTxId>${transaction}</OrgnlTxId>`,
    habits.hasUetr && `<OrgnlUETR>${uetrOf(of)}</OrgnlUETR>`,
  ].filter((one) => one !== false);
  const settled = `<RtrdIntrBkSttlmAmt Ccy="USD">${(amount / 100).toFixed(2)}</RtrdIntrBkSttlmAmt>`;
  return (
    `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pacs.004.001.09"><PmtRtr><GrpHdr><MsgId>M${name}</MsgId>` +
    `<CreDtTm>${dayOf(day)}T09:00:00</CreDtTm><NbOfTxs>1</NbOfTxs></GrpHdr><TxInf><RtrId>I${name}</RtrId>` +
    `${references.join("")}${settled}<OrgnlTxRef><CdtrAcct><Id><IBAN>${account}</IBAN></Id></CdtrAcct></OrgnlTxRef>` +
    "</TxInf></PmtRtr></Document>"
  );
}
