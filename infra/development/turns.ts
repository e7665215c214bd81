import type { VirtualClock } from "../local/clock.ts";
import type { GatewayOptions } from "../local/gateway/https-gateway.ts";
import type { FunctionInvoker } from "../local/interfaces.ts";
import type { FunctionRuntime, ObjectStore, Turns } from "../local/start-functions.ts";

export interface TurnsPlan extends Turns {
  /** A replay records nothing. */
  readonly record?: (stack: AsyncDisposableStack, onFailure?: (error: Error) => void) => Promise<Recorder>;
}

/** What a platform uses instead of its own parts while its inputs are recorded. */
export interface Recorder {
  /** Makes the invocations of the platform's start inputs. */
  readonly invoker: FunctionInvoker;
  readonly inTurn: NonNullable<GatewayOptions["inTurn"]>;
  readonly clock: Pick<VirtualClock, "now" | "advance">;
  readonly functions: Pick<FunctionRuntime, "killNext">;
  /** Who calls from outside of the platform uses it. */
  readonly functionsUrl: string;
  readonly queuesUrl: string;
  /** Given the store's own answers, those to who has a presigned URL. */
  readonly presigned: (answer: ObjectStore["answer"]) => ObjectStore["answer"];
}
