import type { Card } from "./card.ts";
import type { Command, Reply } from "./commands.ts";

/** `target`: the id of the event that `nth` selects; `none` if there is none. */
export type Resolved = Command & { readonly target?: string };

/** What a command is answered, as far as the model can know: no ids. */
export type Outcome = Readonly<Record<string, unknown>>;

export const notFound: Outcome = { outcome: "refused", code: "NOT_FOUND" };
export const illegal: Outcome = { outcome: "refused", code: "ILLEGAL_TRANSITION" };
export const referenceExists: Outcome = { outcome: "refused", code: "REFERENCE_EXISTS" };
export const applied = (more: object = {}): Outcome => ({ outcome: "applied", ...more });
export const declined = (declineReason: string): Outcome =>
  applied({ approved: false, declineReason, amount: 0 });

/** What is asked about, and how it will be answered. */
export interface Asked {
  /** Of an authorization: its slot, and its event. */
  readonly slot?: number;
  readonly id?: string;
  /** Of a withdrawal: its event, its fee, and its slot if the network names it. */
  readonly cash?: {
    readonly id: string;
    readonly fee: number;
    readonly slot?: number | undefined;
    readonly reference?: number | undefined;
  };
  readonly amount: number;
  readonly reserved: number;
  readonly supportsPartial?: boolean;
  /** The authentication that it has. */
  readonly proof?: number | undefined;
  readonly reply: Reply | "lost";
}

export function isAsked(begun: Asked | Outcome): begun is Asked {
  return "reserved" in begun;
}

export const isUsable = ({ active, blocked }: Card) => active && !blocked;

export function reasonOf({ active, blocked, closed }: Card): string {
  if (blocked) return "CARD_BLOCKED";
  if (closed) return "CARD_CLOSED";
  return active ? "INSUFFICIENT_FUNDS" : "CARD_ON_HOLD";
}

export function byPlatform({ hasReceiver }: Card, outcome: Outcome): Outcome {
  return hasReceiver ? { ...outcome, decidedBy: "platform" } : outcome;
}

/** Whether the settlement is the first with its reference code, which it then has taken. */
export function takesReference({ references }: Card, reference: number | undefined): boolean {
  if (reference === undefined) return true;
  if (references.has(reference)) return false;
  references.add(reference);
  return true;
}

export function post(card: Card, transType: number, type: "DR" | "CR", amount: number): Outcome {
  card.lines.push({ transType, transStatus: 3, type, amount });
  return applied({ amount });
}
