import type { Random } from "../random.ts";
import {
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
  type Sent,
} from "./written.ts";

/** A payment that the platform has ordered, and what its bank has truly made of it. */
export interface Order {
  readonly kind: "payout" | "pull";
  readonly id: string;
  readonly endToEnd: string;
  readonly amount: number;
  /** The `PmtInfId` of a file that has all payouts. */
  readonly batch: string | undefined;
  readonly became: "done" | "rejected" | "returned";
  /** On which it was done or rejected, and on which it was returned. */
  readonly days: readonly [number, number];
  /** What came back of a payout: all, or less. */
  readonly returned: number;
  /** With which a pull's return was booked in one sum. */
  readonly charge: number;
}

export type Made = Pick<Order, "kind" | "id" | "endToEnd" | "amount" | "batch">;

export function drawOrders(random: Random, all: readonly Made[], { booked }: OrderHabits): Order[] {
  const together = random.pick(days);
  return all.map((made) => {
    const isTogether = booked === "batch" && made.kind === "payout";
    return drawOrder(random, made, isTogether ? together : random.pick(days));
  });
}

function drawOrder(random: Random, made: Made, day: number): Order {
  const isPart = made.kind === "payout" && random.chance(0.3);
  return {
    ...made,
    became: random.pick(["done", "done", "done", "rejected", "returned", "returned"]),
    days: [day, Math.min(2, day + random.below(2))],
    returned: isPart ? made.amount - 100 : made.amount,
    charge: made.kind === "pull" && random.chance(0.3) ? 50 : 0,
  };
}

/** How a bank tells of what was ordered: the same way each time. */
export interface OrderHabits {
  readonly kinds: readonly Kind[];
  readonly servicerReference: "entry" | "payment" | "none" | "filler";
  readonly hasTwoReferences: boolean;
  readonly statuses: "none" | "rejections" | "all";
  readonly returnsBy: readonly ("entry" | "message")[];
  /** None: of a payout, the entry alone does not say that it came back. */
  readonly returnMark: Mark;
  readonly hasDays: boolean;
  readonly isEach: boolean;
  /** Payouts of a day: each by an entry, or in one, by details or as the batch of their file. */
  readonly booked: "each" | "details" | "batch";
}

export function drawOrderHabits(random: Random): OrderHabits {
  return {
    kinds: random.pick([["camt.053"], ["camt.054"], ["camt.054", "camt.053"], ["camt.054", "camt.053"]]),
    servicerReference: random.pick(["entry", "payment", "none", "filler"]),
    hasTwoReferences: random.chance(0.3),
    statuses: random.pick(["none", "rejections", "all"]),
    returnsBy: random.pick([["entry"], ["message"], ["entry", "message"]]),
    returnMark: random.pick(["RvslInd", "RtrInf", "code", undefined]),
    hasDays: random.chance(0.8),
    isEach: random.chance(0.5),
    booked: random.pick(["each", "each", "details", "batch"]),
  };
}

/** The bank's files about them, as they come. */
export function drawOrderFiles(
  random: Random,
  orders: readonly Order[],
  habits: OrderHabits,
  account: string,
): string[] {
  return inSomeOrder(random, days.flatMap(filesOf));

  function filesOf(day: number): Sent[] {
    const settled = orders.filter((one) => one.days[0] === day);
    const done = settled.filter(({ became }) => became !== "rejected");
    const payouts = done.filter(({ kind }) => kind === "payout");
    const back = orders.filter((one) => one.became === "returned" && one.days[1] === day);
    const isInOne = habits.booked !== "each";
    const entries = [
      ...(isInOne && payouts.length > 0 ? [payouts] : payouts.map((one) => [one])).map(toPaid),
      ...done.filter(({ kind }) => kind === "pull").map((one) => toPaid([one])),
      ...(habits.returnsBy.includes("entry") ? back.map(toBack) : []),
    ];
    const isTold = ({ became }: Order) =>
      habits.statuses === "all" || (habits.statuses === "rejections" && became === "rejected");
    return [
      ...habits.kinds.flatMap((kind) => toReports(kind, entries, day)),
      ...(habits.returnsBy.includes("message") ? back.map(toMessage) : []),
      ...settled.filter(isTold).map(toStatus),
    ].map((text) => ({ text, at: day * 10 + random.below(9) }));
  }

  function toPaid(some: readonly Order[]): Entry {
    const amount = some.reduce((sum, one) => sum + one.amount, 0);
    const [first] = some;
    const direction = first?.kind === "pull" ? "CRDT" : "DBIT";
    const details = (kind: Kind) => some.map((one) => detailOf("D", one, one.amount, kind));
    return (kind) => {
      const common = commonOf(`D${first?.endToEnd}`, first?.days[0] ?? 0, kind);
      const batch = habits.booked === "batch" && direction === "DBIT" ? first?.batch : undefined;
      return entryOf({ direction, amount, details: details(kind), batch, ...common });
    };
  }

  function toBack(one: Order): Entry {
    const direction = one.kind === "pull" ? "DBIT" : "CRDT";
    const amount = one.returned + one.charge;
    const charges = one.charge > 0 ? `<Chrgs><Rcrd>${money(one.charge)}</Rcrd></Chrgs>` : "";
    return (kind) => {
      const details = [`${detailOf("R", one, amount, kind)}${charges}`];
      const common = commonOf(`R${one.endToEnd}`, one.days[1], kind);
      return entryOf({ direction, amount, details, mark: habits.returnMark, ...common });
    };
  }

  function servicerOf(name: string, kind: Kind): string {
    return habits.hasTwoReferences && kind === "camt.053" ? `X${name}` : name;
  }

  function commonOf(name: string, day: number, kind: Kind) {
    const own = habits.servicerReference === "entry" ? servicerOf(name, kind) : undefined;
    const reference = habits.servicerReference === "filler" ? "NONREF" : own;
    return { day: habits.hasDays ? day : undefined, reference };
  }

  function detailOf(what: "D" | "R", { endToEnd }: Order, amount: number, kind: Kind): string {
    const own = `<AcctSvcrRef>${servicerOf(`${what}${endToEnd}`, kind)}</AcctSvcrRef>`;
    const isOfPayment = habits.servicerReference === "payment";
    return `${references(isOfPayment && own, `<EndToEndId>${endToEnd}</EndToEndId>`)}${money(amount)}`;
  }

  function toReports(kind: Kind, all: readonly Entry[], day: number): string[] {
    const isEach = habits.isEach && kind === "camt.054";
    const parts = isEach ? all.map((one) => [one]) : [all].filter((some) => some.length > 0);
    return parts.map((part, index) => {
      const id = `${kind}${day}${index}${orders[0]?.endToEnd}`;
      return reportOf(kind, { id, message: id, account, entries: part.map((entry) => entry(kind)) });
    });
  }
}

type Entry = (kind: Kind) => string;

function toMessage({ endToEnd, returned: amount, days: [, day] }: Order): string {
  const original = `<OrgnlEndToEndId>${endToEnd}</OrgnlEndToEndId>`;
  return returnMessageOf({ name: endToEnd, day, amount, original });
}

function toStatus({ endToEnd, became }: Order): string {
  return elements(
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.002.001.10"><CstmrPmtStsRpt>',
    `<GrpHdr><MsgId>S${endToEnd}</MsgId></GrpHdr><OrgnlPmtInfAndSts><OrgnlPmtInfId>X</OrgnlPmtInfId>`,
    `<TxInfAndSts><OrgnlEndToEndId>${endToEnd}</OrgnlEndToEndId>`,
    `<TxSts>${became === "rejected" ? "RJCT" : "ACSC"}</TxSts></TxInfAndSts>`,
    "</OrgnlPmtInfAndSts></CstmrPmtStsRpt></Document>",
  );
}
