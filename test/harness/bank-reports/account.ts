import type { Random } from "../random.ts";
import { days } from "./written.ts";

/** Minor units of USD, and days from 0. */
export interface Payment {
  /** Unlike that of any other payment or return. */
  readonly name: string;
  readonly amount: number;
  readonly day: number;
  readonly payer: string;
  /** Payers use one again, as a standing order does, or give none. */
  readonly endToEnd: string | undefined;
  /** What its payer wrote: a Wallet, or nothing that names one. */
  readonly text: string;
}

/** Booked at once, as one sum. */
export interface Booked {
  readonly name: string;
  readonly day: number;
  readonly payments: readonly Payment[];
}

/** The whole or a part of a payment went back to its payer. */
export interface Returned {
  readonly name: string;
  readonly day: number;
  readonly amount: number;
  readonly of: Payment;
}

/** What has truly moved on an account in three days, whatever its bank says of it. */
export interface AccountHistory {
  readonly booked: readonly Booked[];
  readonly returned: readonly Returned[];
}

/** With few amounts and payers, so that payments look alike. `run` begins all references. */
export function drawHistory(random: Random, run: string, wallets: readonly string[]): AccountHistory {
  const toPayment = (_: unknown, number: number): Payment => ({
    name: `${run}P${number}`,
    amount: random.pick([100, 200, 300, 400]),
    day: random.pick(days),
    payer: random.pick(["ANNA BERG", "CARL DORN", "EVA FALK"]),
    endToEnd: random.pick([undefined, `${run}E${number}`, `${run}E${number}`, `${run}RENT`]),
    text: random.pick([...wallets, ...wallets, "thank you"]),
  });
  const drawn = Array.from({ length: 3 + random.below(6) }, toPayment);
  // Two that are equal in all are told apart by nobody.
  const isAlike = (one: Payment, other: Payment) =>
    one.endToEnd === other.endToEnd && one.day === other.day && one.amount === other.amount;
  const payments = drawn.map((one, number) =>
    drawn.slice(0, number).some((other) => isAlike(one, other)) ? { ...one, endToEnd: undefined } : one,
  );
  const booked = days.flatMap((day) => {
    const sums: Booked[] = [];
    const left = payments.filter((one) => one.day === day);
    while (left.length > 0) {
      const own = left.splice(0, random.pick([1, 1, 1, 2, 3]));
      sums.push({ name: `${run}B${day}${sums.length}`, day, payments: own });
    }
    return sums;
  });
  const returned = payments
    .filter(() => random.chance(0.3))
    .flatMap((of) => {
      const part = random.pick([of.amount, of.amount, 100]);
      const amounts = random.chance(0.2) && of.amount > 100 ? [100, 100] : [part];
      return amounts.map((amount) => ({ of, amount, day: Math.min(2, of.day + random.below(2)) }));
    })
    .map((one, number) => ({ name: `${run}R${number}`, ...one }));
  return { booked, returned };
}
