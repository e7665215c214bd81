import type { EntryMode } from "../contract/card-network.ts";
import type { AvsCode, CheckResult, SentVerification, VerificationView } from "../contract/verification.ts";
import { defined, pick } from "../platform/pick.ts";

/** What was sent, with what the platform found of it in place of the sender's results. */
export type Verification = Readonly<SentVerification>;

/** How a card was presented. What was not sent takes no byte. */
export interface Presentation {
  readonly plasticId?: string | undefined;
  readonly tokenId?: string | undefined;
  readonly authenticationId?: string | undefined;
  readonly verification?: Verification | undefined;
}

/** What there is of it. */
export function presented(sent: Presentation): Presentation {
  return defined(pick(sent, "plasticId", "tokenId", "authenticationId", "verification"));
}

export interface Verified extends Presentation {
  readonly entryMode?: EntryMode | undefined;
  /** The check for which it was declined, if that was the reason. */
  readonly failedCheck?: string | undefined;
}

/** The checks whose failure declines, and how they then came out, whatever else was said. */
const failures: Readonly<Record<string, "pin" | "cvc" | "expiry">> = {
  PIN_WRONG: "pin",
  PIN_BLOCKED: "pin",
  CVV_WRONG: "cvc",
  EXPIRY_WRONG: "expiry",
};

/** As callers see it. Undefined where nothing was said of it. */
export function toVerificationView(verified: Verified): VerificationView | undefined {
  const { verification, tokenId, authenticationId, failedCheck = "" } = verified;
  const hasFailed = failures[failedCheck] !== undefined;
  if (!verification && tokenId === undefined && authenticationId === undefined && !hasFailed)
    return undefined;
  const { threeDS = "not_present", entryCapability = "unknown" } = verification ?? {};
  const { terminalId, wallet, storedCredential, network } = verification ?? {};
  const { addressLine, postalCode, ...checks } = toResults(verified);
  return {
    addressLine,
    postalCode,
    avs: toAvs(addressLine, postalCode),
    ...checks,
    ...{ threeDS, authenticationId, entryCapability, terminalId, wallet, tokenId },
    recurring: isRecurring(verified),
    ...{ storedCredential, network },
  };
}

type Check = "addressLine" | "postalCode" | "cvc" | "expiry" | "pin";

/** The result of each check. */
export function toResults({ verification = {}, failedCheck = "" }: Verified): Record<Check, CheckResult> {
  const failed = failures[failedCheck];
  const { addressLine, postalCode, cvc, expiry, pin }: Verification = {
    ...verification,
    ...(failed && { [failed]: "mismatch" }),
  };
  const of = (result: CheckResult = "not_present") => result;
  return {
    addressLine: of(addressLine),
    postalCode: of(postalCode),
    cvc: of(cvc),
    expiry: of(expiry),
    pin: of(pin),
  };
}

/** What was not compared did not match. */
export function toAvs(addressLine?: CheckResult, postalCode?: CheckResult): AvsCode {
  const isCompared = (result?: CheckResult) => result === "match" || result === "mismatch";
  if (!isCompared(addressLine) && !isCompared(postalCode)) return "U";
  if (addressLine === "match") return postalCode === "match" ? "Y" : "A";
  return postalCode === "match" ? "Z" : "N";
}

/** Whether it is one of a series that the payer has agreed to. */
export function isRecurring({ verification = {}, entryMode }: Verified): boolean {
  const { recurring, storedCredential } = verification;
  return recurring ?? (entryMode === "recurring" || storedCredential === "recurring");
}
