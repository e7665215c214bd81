import type { Card } from "../cards/card.ts";
import { firstPlasticId } from "../cards/card-plastic.ts";
import { isNotBlocked } from "../cards/usable.ts";
import { all } from "../platform/table/condition.ts";
import type { WriteAction } from "../platform/table/transact.ts";
import { type Plastic, plastics, toFirstPlastic } from "./plastic.ts";

/** What is not stored yet is the first one, which was its Card. */
export function plasticWrites(
  programId: string,
  card: Card,
  all: readonly Plastic[],
  changed: readonly Plastic[],
): WriteAction[] {
  const isFirst = card.plasticCount === undefined;
  const first = firstPlasticId(card.entityId);
  const written = new Map(changed.map((one) => [one.plasticId, one]));
  if (isFirst && !written.has(first)) written.set(first, toFirstPlastic(card));
  return [...written.values()].map((one) => {
    const at = plastics.at(programId, one.cardId, one.plasticId);
    const before = isFirst ? undefined : all.find(({ plasticId }) => plasticId === one.plasticId);
    if (!before) return at.create(one);
    const { state, activatedAt, endedAt, stoppedFor } = one;
    const set = {
      state,
      ...(activatedAt && { activatedAt }),
      ...(endedAt && { endedAt }),
      ...(stoppedFor && { stoppedFor }),
    };
    return at.update({ set }, { state: before.state });
  });
}

/** The Card as the change has read it. */
export function isAsRead(card: Card, { mayBeBlocked = false } = {}) {
  const { issuerCardStatus, plasticId, pendingPlasticId, awaitsPlastic, plasticCount } = card;
  const shownAndPending = { plasticId, pendingPlasticId, awaitsPlastic, plasticCount };
  // The first plastic's item takes the shipping from it.
  const first = plasticCount === undefined ? { shipping: card.shipping } : {};
  return all<Card>(
    { issuerCardStatus, ...shownAndPending, ...first },
    ...(mayBeBlocked ? [] : [isNotBlocked]),
  );
}

/** What the Card has of the plastic that it shows. */
export function showing(plastic: Plastic) {
  const { plasticId, bin, lastFour, numberId, expiryMonth, expiryYear, shipping, shippingAddress } = plastic;
  const kept = {
    ...(numberId !== undefined && { numberId }),
    ...(shipping && { shipping }),
    ...(shippingAddress && { shippingAddress }),
  };
  const remove: (keyof Card)[] = [
    ...(numberId === undefined ? (["numberId"] as const) : []),
    ...(shipping ? [] : (["shipping"] as const)),
  ];
  return { set: { plasticId, bin, lastFour, expiryMonth, expiryYear, ...kept }, remove };
}
