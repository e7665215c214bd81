import { chooseReturned } from "./apply-return.ts";
import { giveBack } from "./give-back.ts";
import { type BankPayment, bankReturns, namesIn, waitingReturns } from "./payment.ts";

/**
 * Takes back from a deposit what was returned before it came. A return is written before it looks
 * for its deposit, which is booked before it looks for returns.
 */
export async function returnEarly(payment: BankPayment): Promise<void> {
  const names = namesIn({ ...payment.references, message: undefined });
  const found = (await Promise.all(names.map((name) => waitingReturns.list(name)))).flat();
  for (const returnKey of new Set(found.map((one) => one.returnKey))) {
    const returned = await bankReturns.at(returnKey).get();
    if (!returned || returned.takenBy !== undefined) continue;
    const [chosen, ...others] = await chooseReturned(returned);
    if (chosen?.depositId === payment.depositId && others.length === 0) await giveBack(chosen, returned);
  }
}
