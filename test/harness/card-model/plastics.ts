import type { Outcome } from "./answers.ts";
import type { Card } from "./card.ts";

/** One number of a Card. Its money is the Card's. */
export interface Plastic {
  state: "pending" | "active" | "stopped" | "replaced";
  /** Those of a number that is lost are stopped together. */
  readonly number: number;
}

/** What a Card has of plastics: `shown` and `pending` are places in the chain. */
export interface Plastics {
  readonly physical: boolean;
  readonly chain: Plastic[];
  shown: number;
  pending?: number | undefined;
  /** What is shown was not activated: nothing can be paid with it. */
  awaits: boolean;
}

export function firstPlastics(physical: boolean): Plastics {
  return { physical, chain: [{ state: "active", number: 0 }], shown: 0, awaits: false };
}

export type Replacement = {
  readonly reason: "lost" | "stolen" | "damaged" | "renewed";
  /** Its place. Default: the one that is used. */
  readonly plastic?: number | undefined;
};

const isLive = ({ state }: Plastic) => state === "pending" || state === "active";

/** No balance changes, whatever is replaced. */
export function replace(card: Card, { reason, plastic }: Replacement): Outcome {
  const { plastics, blocked, closed } = card;
  const { chain, pending } = plastics;
  if (blocked) return { code: "CARD_BLOCKED" };
  if (closed) return { code: "ILLEGAL_TRANSITION" };
  const isLoss = reason === "lost" || reason === "stolen";
  const used = chain.findLastIndex((one, index) => isLive(one) && index !== pending);
  const index = reason === "renewed" || plastic === undefined ? used : plastic;
  if (isLoss ? index < 0 : pending !== undefined) return { code: "REPLACEMENT_PENDING" };
  const chosen = chain[index];
  if (!chosen || !isLive(chosen)) return { code: "ILLEGAL_TRANSITION" };
  const made: Plastic = {
    state: plastics.physical ? "pending" : "active",
    number: isLoss ? chain.length : chosen.number,
  };
  if (isLoss) for (const one of chain) if (one.number === chosen.number) one.state = "stopped";
  if (!(isLoss || plastics.physical)) chosen.state = "replaced";
  const isActiveLeft = !plastics.awaits && chain[plastics.shown]?.state === "active";
  const place = chain.push(made) - 1;
  if (plastics.physical) plastics.pending = place;
  if (!(plastics.physical && isActiveLeft)) plastics.shown = place;
  if (plastics.physical && !isActiveLeft) plastics.awaits = true;
  return { state: made.state, sequence: place + 1 };
}

export function activate({ plastics, blocked, closed }: Card): Outcome {
  const { chain, pending } = plastics;
  const made = pending === undefined ? undefined : chain[pending];
  if (blocked || closed || !made) return { isActivated: false };
  for (const one of chain) if (isLive(one)) one.state = "replaced";
  made.state = "active";
  Object.assign(plastics, { shown: pending, pending: undefined, awaits: false });
  return { isActivated: true };
}

/** Its replacement has not been activated in sixty days. */
export function endOlder({ plastics, closed }: Card): Outcome {
  const active = plastics.chain.find(({ state }) => state === "active");
  if (closed || !active || plastics.pending === undefined) return {};
  active.state = "replaced";
  Object.assign(plastics, { shown: plastics.pending, awaits: true });
  return {};
}

/** Why nothing can be paid with it. */
export function plasticReason({ plastics, closed }: Card, plastic: number | undefined): string | undefined {
  const { chain, shown, awaits } = plastics;
  if (plastic === undefined || plastic === shown) return awaits && !closed ? "CARD_NOT_ACTIVATED" : undefined;
  const state = chain[plastic]?.state;
  if (state === "stopped") return "PLASTIC_STOPPED";
  if (closed) return undefined;
  return state === "pending" ? "CARD_NOT_ACTIVATED" : "PLASTIC_REPLACED";
}

export function chainText({ plastics }: Card): string[] {
  const { chain, shown, pending, awaits } = plastics;
  const marks = [`shown ${shown}`, `pending ${pending}`, `awaits ${awaits}`];
  return [...chain.map(({ state, number }) => `${state} ${number}`), ...marks];
}
