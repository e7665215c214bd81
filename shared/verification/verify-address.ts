import type { BillingAddress, NetworkResults } from "../contract/verification.ts";
import { compareBillingAddress } from "./billing-address.ts";
import type { Verification } from "./presentation.ts";

interface Sent {
  readonly billingAddress?: BillingAddress | undefined;
  readonly verification?: Verification | undefined;
}

/**
 * The event with what the platform finds of the address in place of the address. Where the sender
 * has found something else, `network` says what.
 */
export function withVerifiedAddress<Event extends object>(
  event: Event & Sent,
  known: Parameters<typeof compareBillingAddress>[1],
): Event {
  const { billingAddress, ...others } = event;
  if (!billingAddress) return event;
  const verification: { -readonly [Name in keyof Verification]: Verification[Name] } = {
    ...event.verification,
  };
  const network: NetworkResults = { ...verification.network };
  const found = compareBillingAddress(billingAddress, known);
  for (const check of ["addressLine", "postalCode"] as const) {
    const [own, said] = [found[check], verification[check]];
    const isCompared = own === "match" || own === "mismatch";
    if (isCompared && said !== undefined && said !== own) network[check] = said;
    if (isCompared || (own === "not_checked" && said === undefined)) verification[check] = own;
  }
  if (Object.keys(network).length > 0) verification.network = network;
  return { ...others, verification } as unknown as Event;
}
