import * as z from "zod";
import type { AuthorizationQuestion } from "../../contract/authorization-endpoint.ts";
import type { AskedEvent } from "../../contract/card-network.ts";
import type { AuthorizationEndpoint } from "../../controls/authorization-endpoint.ts";
import type { Asked as AskedAny, DecidedAs } from "../../questions/question.ts";

/** A question that is not decided. It is stored with its reservation, before it is asked. */
export const OpenQuestion = z.object({
  /** As the network sent it, with a withdrawal's fee: another process can decide. */
  event: z.custom<AskedEvent>((event) => typeof event === "object" && event !== null),
  /** The platform gives one to a withdrawal that has none. */
  authorizationId: z.string(),
  /** The transaction that will record the decision. */
  transId: z.string(),
  /** What is reserved, in minor units, without a fee. */
  amountMinor: z.int(),
  receivedAt: z.string(),
  lapsesAt: z.string(),
});
export type OpenQuestion = Readonly<z.output<typeof OpenQuestion>>;

/** An answer after the deadline. It changed nothing. */
export const LateAnswer = z.object({ decision: z.enum(["approve", "decline"]), at: z.string() });
export type LateAnswer = Readonly<z.output<typeof LateAnswer>>;

/** What decides a question, unless another process was faster. */
export interface Verdict extends DecidedAs {
  /** 0 declines. */
  readonly approvedMinor: number;
}

interface Asking {
  readonly programId: string;
  readonly deadlineAt: Date;
  /** What is reserved, in minor units. */
  readonly amountMinor: number;
}

export type Asked = AskedAny<Verdict, LateAnswer["decision"]>;

/** Asks a Program's receiver at most once: `ask.ts`. Never rejects. */
export type AskReceiver = (
  endpoint: AuthorizationEndpoint,
  question: AuthorizationQuestion,
  asking: Asking,
) => Promise<Asked>;
