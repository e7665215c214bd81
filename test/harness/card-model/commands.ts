import type { ChallengeEnd } from "./authentications.ts";
import type { DisputeStatus } from "./debits.ts";
import type { Replacement } from "./plastics.ts";
import type { Settled } from "./settlements.ts";
import type { TokenStep } from "./wallet-tokens.ts";

/**
 * `slot` names one of a few authorizations, so that their events meet, often out of order; `nth`
 * selects an earlier event, modulo their number.
 */
export type Command =
  | {
      readonly do: "authorization";
      readonly slot: number;
      readonly amount: number;
      readonly supportsPartial: boolean;
      readonly reply: Reply;
      /** The plastic that it is made with, and its authentication, by their places. */
      readonly plastic?: number | undefined;
      readonly proof?: number | undefined;
      /** How the authentication is named: by its CAVV, which may be wrong. Default: by its id. */
      readonly cavv?: "right" | "wrong" | undefined;
      /** What the sender has found of the security code. */
      readonly cvc?: "match" | "mismatch" | undefined;
      /** What pays in the place of the number. */
      readonly token?: number | undefined;
    }
  | {
      readonly do: "increment";
      readonly slot: number;
      readonly amount: number;
      readonly reply: Reply;
      /** It is sent once, even if its authorization is unknown. */
      readonly isLast: boolean;
    }
  /** Of what an earlier increment was approved for. */
  | { readonly do: "incrementReversal"; readonly nth: number }
  | {
      readonly do: "advice";
      readonly slot: number;
      readonly amount: number;
      /** `amount` is all that is authorized, instead of what is added. */
      readonly total: boolean;
    }
  | {
      readonly do: "reversal";
      readonly slot: number;
      readonly amount?: number | undefined;
      /** `amount` is what is left, instead of what is released. */
      readonly total: boolean;
      readonly mayBeDone: boolean;
    }
  /** Totals that say when they occurred, of authorizations that have no changes. */
  | {
      readonly do: "datedAdvice" | "datedReversal";
      readonly dated: number;
      readonly amount: number;
      readonly occurred: number;
    }
  /** Of a withdrawal: all, or down to the amount. */
  | { readonly do: "cashReversal"; readonly cash: number; readonly amount?: number | undefined }
  | { readonly do: "cashClearing"; readonly cash: number; readonly amount: number; readonly final?: boolean }
  /** Of what one message has settled: all that is left, down to the amount, or the amount. */
  | {
      readonly do: "postedReversal";
      readonly slot: number;
      readonly amount?: number | undefined;
      readonly total: boolean;
      readonly mayBeDone: boolean;
    }
  | { readonly do: "expiry"; readonly slot: number }
  | { readonly do: "deadline"; readonly slot: number }
  | {
      readonly do: "clearing";
      readonly slot: number;
      readonly amount: number;
      readonly final: boolean;
      readonly reference?: number | undefined;
    }
  | Settled
  | {
      readonly do: "atm";
      readonly amount: number;
      readonly fee: number;
      readonly advice: boolean;
      /** Of an advice: `amount` is all that is paid out. */
      readonly total?: boolean;
      /** By which a reversal can name it. */
      readonly cash?: number | undefined;
      readonly reference?: number | undefined;
      readonly token?: number | undefined;
      readonly reply: Reply;
    }
  | { readonly do: "fee"; readonly feeType: 1 | 2 | 3 | 4 | 5; readonly amount: number }
  | {
      readonly do: "refundReversal" | "feeReversal" | "clearDeposit" | "reverseDeposit";
      readonly nth: number;
    }
  /** All that is left of it, or a part. */
  | { readonly do: "returnDeposit"; readonly nth: number; readonly amount?: number | undefined }
  | { readonly do: "chargeback"; readonly nth: number; readonly amount?: number | undefined }
  | { readonly do: "outcome"; readonly nth: number; readonly status: 1 | 2 | 3 | 4 | 5 }
  /** Names what it refunds. */
  | { readonly do: "refundOf"; readonly nth: number; readonly amount: number }
  | { readonly do: "disputeOutcome"; readonly nth: number; readonly status: DisputeStatus }
  /** Of the customer, over the API. */
  | { readonly do: "dispute" | "disputeChange"; readonly nth: number; readonly amount?: number | undefined }
  | {
      readonly do: "disputeStep";
      readonly nth: number;
      readonly step: "submit" | "escalate" | "write_off" | "withdraw";
    }
  /** Uploaded, and accepted at once. */
  | { readonly do: "evidence"; readonly nth: number }
  /** A deadline, if it has come after so many days. */
  | {
      readonly do: "disputeDue";
      readonly nth: number;
      readonly step: "credit" | "end";
      readonly days: number;
    }
  | { readonly do: "close" }
  | { readonly do: "deposit"; readonly amount: number; readonly pending: boolean }
  | { readonly do: "inquiry" }
  | { readonly do: "refundAuthorization"; readonly amount: number }
  /** Divides the usage of the Program's controls anew, as contention would. */
  | { readonly do: "split"; readonly room: number }
  | ({ readonly do: "replace" } & Replacement)
  /** By the Cardholder; or sixty days pass without. */
  | { readonly do: "activate" | "endOlder" }
  /** A purchase, which its authorization can name. */
  | {
      readonly do: "authenticate";
      readonly challenged: boolean;
      readonly token?: number | undefined;
    }
  /** In the Tenant's app; or its time is up. */
  | { readonly do: "challenge"; readonly nth: number; readonly end: ChallengeEnd }
  /** By a wallet, of the network. */
  | {
      readonly do: "token";
      readonly reference: number;
      readonly steppedUp: boolean;
      /** Its number and expiry were typed into the wallet. */
      readonly plastic?: number | undefined;
    }
  | { readonly do: "tokenStep"; readonly reference: number; readonly step: TokenStep }
  | { readonly do: "status"; readonly to: 1 | 2 }
  | { readonly do: "block"; readonly blocked: boolean };

/** What the receiver answers, where the Program has one. */
export type Reply = "approve" | "part" | "decline" | "timeout" | "connection_error" | "bad_answer";

/**
 * A command: single, delivered twice, racing another, or a repetition of an earlier one.
 * `isAnother`: the repetition has another body, where its sender says so.
 */
export type Step =
  | { readonly step: "one" | "twice"; readonly command: Command }
  | { readonly step: "race"; readonly commands: readonly [Command, Command] }
  | { readonly step: "repeat"; readonly nth: number; readonly isAnother: boolean }
  | Question;

/** Asked about, and not decided while other commands are carried out. */
export interface Question {
  readonly step: "question";
  readonly command: Extract<Command, { do: "authorization" | "increment" | "atm" }>;
  readonly meanwhile: readonly Command[];
  /** Repetitions that wait for its answer. */
  readonly repetitions: number;
  /** `lapse`: the sweep comes first. `kill`: its process ends before the answer. */
  readonly end: "answer" | "lapse" | "kill";
}
