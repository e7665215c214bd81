import type { CardEvent } from "./card-event.ts";
import { notFound, type Rejected } from "./plan.ts";

/** What a purchase names beside its Card must exist: until it does, the event cannot be applied. */
export function refusePresented(event: CardEvent): Rejected | undefined {
  const { plasticId, tokenId } = event as Named;
  const isNamed = [plasticId, tokenId].some((id) => id !== undefined);
  return isNamed ? notFound : undefined;
}

type Named = Readonly<Partial<Record<"plasticId" | "tokenId", string>>>;
