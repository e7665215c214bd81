import type { Random } from "../random.ts";
import type { AccountHistory, Booked, Payment, Returned } from "./account.ts";
import {
  dayOf,
  days,
  elements,
  entryOf,
  inSomeOrder,
  type Kind,
  type Mark,
  money,
  references,
  reportOf,
  returnMessageOf,
} from "./written.ts";

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
  readonly returnMark: NonNullable<Mark>;
}

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

/** The files as they come. */
export function drawFiles(
  random: Random,
  { booked, returned }: AccountHistory,
  habits: Habits,
  account: string,
): string[] {
  const [{ name } = { name: "" }] = booked;
  const sent = days.flatMap((day) => {
    const back = returned.filter((one) => one.day === day);
    const entries = [
      ...booked.filter((one) => one.day === day).map((one) => toCredit(one, habits)),
      ...(habits.returnsBy.includes("entry") ? back.map((one) => toDebit(one, habits)) : []),
    ];
    const reports = habits.kinds.flatMap((kind) => toReports(kind, entries, day));
    const messages = habits.returnsBy.includes("message") ? back : [];
    const all = [...reports, ...messages.map((one) => toMessage(one, habits, account))];
    return all.map((text, index) => ({ text, at: day * 10 + index }));
  });
  return inSomeOrder(random, sent);

  function toReports(kind: Kind, all: readonly Entry[], day: number): string[] {
    const isStatement = kind === "camt.053";
    const count = isStatement ? habits.pages : habits.isEach ? all.length : 1;
    const size = Math.max(1, Math.ceil(all.length / count));
    const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, page) =>
      all.slice(page * size, (page + 1) * size),
    );
    return parts.map((part, page) => {
      const id = `${name}${kind}${day}${isStatement ? "" : page}`;
      return reportOf(kind, {
        ...{ id, message: `${id}${page}`, account, entries: part.map((entry) => entry(kind)) },
        ...(habits.isTimed && { time: `${dayOf(day)}T${isStatement ? 23 : 10 + page}:00:00` }),
        ...(isStatement && habits.isNumbered && { sequence: day + 1 }),
        ...(isStatement &&
          parts.length > 1 && { page: { number: page + 1, isLast: page === parts.length - 1 } }),
      });
    });
  }
}

type Entry = (kind: Kind) => string;

function toCredit({ name, day, payments }: Booked, habits: Habits): Entry {
  const sum = payments.reduce((total, one) => total + one.amount, 0);
  return (kind) => {
    const isNotification = kind === "camt.054";
    const isSum = !isNotification && habits.hasSums && payments.length > 1;
    const details = payments.map((one) =>
      elements(
        referencesOf(one, one.name, kind, habits),
        (payments.length > 1 || isNotification) && money(one.amount),
        habits.hasDebtors && `<RltdPties><Dbtr><Nm>${one.payer}</Nm></Dbtr></RltdPties>`,
        (habits.hasTexts || isNotification) && `<RmtInf><Ustrd>${one.text}</Ustrd></RmtInf>`,
      ),
    );
    const moved = { direction: "CRDT", amount: sum, details: isSum ? [] : details } as const;
    return entryOf({ ...moved, ...commonOf(name, day, kind, habits) });
  };
}

function toDebit({ name, day, amount, of }: Returned, habits: Habits): Entry {
  return (kind) => {
    const details = [`${referencesOf(of, name, kind, habits)}${money(amount)}`];
    const moved = { direction: "DBIT", amount, details, mark: habits.returnMark } as const;
    return entryOf({ ...moved, ...commonOf(name, day, kind, habits) });
  };
}

const servicerOf = (name: string, kind: Kind, { hasTwoReferences }: Habits) =>
  hasTwoReferences && kind === "camt.053" ? `X${name}` : name;

function commonOf(name: string, day: number, kind: Kind, habits: Habits) {
  const { servicerReference: of, hasDays } = habits;
  const own = of === "entry" ? servicerOf(name, kind, habits) : undefined;
  return { day: hasDays ? day : undefined, reference: of === "filler" ? "NONREF" : own };
}

/** The payment's, but for the bank's own, which a return has, too. */
function referencesOf(of: Payment, name: string, kind: Kind, habits: Habits): string {
  const { servicerReference, hasEndToEnd, hasUetr, hasTransactionId } = habits;
  return references(
    servicerReference === "payment" && `<AcctSvcrRef>${servicerOf(name, kind, habits)}</AcctSvcrRef>`,
    hasEndToEnd && `<EndToEndId>${of.endToEnd ?? "NOTPROVIDED"}</EndToEndId>`,
    hasUetr && `<UETR>${uetrOf(of)}</UETR>`,
    hasTransactionId && `<TxId>T${of.name}</TxId>`,
  );
}

function uetrOf({ name }: Payment): string {
  const hex = Buffer.from(name).toString("hex");
  return `${hex.slice(-8)}-0000-4000-8000-${hex.slice(-12)}`;
}

function toMessage({ name, day, amount, of }: Returned, habits: Habits, account: string): string {
  const { servicerReference, hasEndToEnd, hasUetr, hasTransactionId } = habits;
  const transaction = hasTransactionId ? `T${of.name}` : servicerReference === "payment" && of.name;
  const original = elements(
    hasEndToEnd && `<OrgnlEndToEndId>${of.endToEnd ?? "NOTPROVIDED"}</OrgnlEndToEndId>`,
    transaction && `<OrgnlTxId>${transaction}</OrgnlTxId>`,
    hasUetr && `<OrgnlUETR>${uetrOf(of)}</OrgnlUETR>`,
  );
  return returnMessageOf({ name, day, amount, original, account });
}
