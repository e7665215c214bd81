import type { KindWith } from "../../../shared/contract/card-network.ts";
import {
  applied,
  illegal,
  notFound,
  type Outcome,
  post,
  type Resolved,
  referenceExists,
  takesReference,
} from "./answers.ts";
import { authorizationIn, changed, note } from "./authorizations.ts";
import type { Card } from "./card.ts";
import { addDebit, addReversed, takeBack } from "./debits.ts";
import { creditAfter } from "./disputes.ts";

interface Settlement {
  readonly amount: number;
  readonly reference?: number | undefined;
}

type Happen = (card: Card, amount: number, id: string) => Outcome;

export function clear(card: Card, command: Resolved & { do: "clearing" }, id: string): Outcome {
  if (!takesReference(card, command.reference)) return referenceExists;
  const authorization = changed(authorizationIn(card, command.slot));
  authorization.cleared += command.amount;
  authorization.posted.push(id);
  if (command.final) Object.assign(authorization, { finished: true, declined: false });
  else authorization.released += command.amount;
  return debit(card, id, command.amount);
}

/** What the network settles by its amount alone: the kind of its event, and what it does. */
export const settled = {
  forcePost: {
    kind: "clearing",
    happen: (card: Card, amount: number, id: string): Outcome => {
      card.postings.push(amount);
      return debit(card, id, amount);
    },
  },
  refund: {
    kind: "refund",
    happen: (card: Card, amount: number, id: string): Outcome => {
      card.refunds.set(id, { amount, reversed: false });
      return post(card, 54, "CR", amount);
    },
  },
} as const satisfies Record<string, { readonly kind: KindWith<"settles">; readonly happen: Happen }>;

export interface Settled extends Settlement {
  readonly do: keyof typeof settled;
}

export const settledNames = Object.keys(settled) as readonly Settled["do"][];

export function isSettlement<C extends { readonly do: string }>(command: C): command is C & Settled {
  return command.do in settled;
}

export function settle(card: Card, command: Settled, id: string): Outcome {
  if (!takesReference(card, command.reference)) return referenceExists;
  return settled[command.do].happen(card, command.amount, id);
}

function debit(card: Card, id: string, amount: number): Outcome {
  addDebit(card, id, amount, false);
  return post(card, 3, "DR", amount);
}

/** Of what one message has posted. Nothing that is disputed is given back. */
export function reversePosted(card: Card, command: Resolved & { do: "postedReversal" }, id: string): Outcome {
  const { slot, amount, total, mayBeDone } = command;
  const authorization = card.authorizations.get(slot);
  if (!authorization || (authorization.cleared === 0 && !authorization.reversed)) return notFound;
  if (authorization.cleared === 0) return mayBeDone ? applied({ amount: 0 }) : illegal;
  const left = authorization.cleared - authorization.refunded;
  const refunded = amount === undefined ? left : total ? left - amount : amount;
  // After a decline, nothing but this reversal says what an advice may still hold.
  if (refunded <= 0 && mayBeDone) return note(authorization, total ? (amount ?? 0) : 0);
  if (refunded <= 0 || refunded > left) return illegal;
  const parts = takeBack(card, authorization.posted, refunded);
  if (!parts) return illegal;
  authorization.refunded += refunded;
  card.refunds.set(id, { amount: refunded, reversed: false, gaveBack: { authorization, parts } });
  return post(card, 54, "CR", refunded);
}

export function refundOf(
  card: Card,
  { amount, target = "" }: Resolved & { do: "refundOf" },
  id: string,
): Outcome {
  const of = card.debits.get(target);
  if (!of) return notFound;
  card.refunds.set(id, { amount, reversed: false, of });
  creditAfter(card, of, () => {
    of.refunded += amount;
  });
  return post(card, 54, "CR", amount);
}

/** What it has refunded can be disputed, or given back, again. */
export function reverseRefund(card: Card, { target = "" }: Resolved): Outcome {
  const original = card.refunds.get(target);
  if (!original) return notFound;
  if (original.reversed) return illegal;
  original.reversed = true;
  const { of, gaveBack, amount } = original;
  if (of)
    creditAfter(card, of, () => {
      of.refunded -= amount;
    });
  if (gaveBack) {
    gaveBack.authorization.refunded -= amount;
    for (const [id, part] of gaveBack.parts) {
      const debit = card.debits.get(id);
      if (debit) creditAfter(card, debit, () => addReversed(card, new Map([[id, part]]), -1));
    }
  }
  return post(card, 84, "DR", original.amount);
}
