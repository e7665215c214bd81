import type { FailedCheck } from "../../shared/contract/card-network.ts";
import type { CheckResult, SentVerification } from "../../shared/contract/verification.ts";
import { defined } from "../../shared/platform/pick.ts";

type Checks = Readonly<Partial<Record<"pin" | "cvc" | "expiry", CheckResult | undefined>>>;
type Said = Pick<SentVerification, "terminalId" | "entryCapability" | "storedCredential">;

/** The body as the network's event has it: results are for the platform to read, not to check. */
export function toVerified<Body extends Checks & Said>(
  body: Body,
): Omit<Body, keyof Checks | keyof Said> & {
  readonly verification?: SentVerification;
  readonly failedCheck?: FailedCheck;
} {
  const { pin, cvc, expiry, terminalId, entryCapability, storedCredential, ...event } = body;
  const sent = { pin, cvc, expiry, terminalId, entryCapability, storedCredential };
  const verification = defined(sent);
  const failed = [...failures].find(([check]) => body[check] === "mismatch");
  return {
    ...event,
    ...(Object.keys(verification).length > 0 && { verification }),
    ...(failed && { failedCheck: failed[1] }),
  };
}

/** In the order in which the network's own messages are checked. */
const failures: ReadonlyMap<keyof Checks, FailedCheck> = new Map([
  ["expiry", "EXPIRY_WRONG"],
  ["cvc", "CVV_WRONG"],
  ["pin", "PIN_WRONG"],
]);
