import type { VirtualClock } from "../local/clock.ts";
import type { ObjectStore } from "../local/endpoint/object-store.ts";
import type { Events } from "../local/events/prepare-events.ts";
import type { FunctionRuntime } from "../local/function-runtime.ts";
import type { GatewayOptions } from "../local/gateway/https-gateway.ts";
import type { FunctionInvoker, RepeatableThreads, SeededThread } from "../local/interfaces.ts";
import type { Run } from "./prepare.ts";

/** Has the inputs of a platform run in turns, so that they can be recorded and replayed. */
export interface TurnsPlan {
  readonly startedAt: number;
  readonly queues: SeededThread;
  /** Before anything is drawn. */
  begin(stack: AsyncDisposableStack): Promise<RepeatableThreads>;
  /** Instead of the events' own start. */
  start(run: Run, functions: FunctionRuntime, events: Events): Promise<void>;
  /** Not of a replay. */
  readonly record?: (run: Run) => Promise<Recorder>;
}

/** What a platform uses instead of its own parts while its inputs are recorded. */
export interface Recorder {
  /** Makes the invocations of the platform's start inputs. */
  readonly invoker: FunctionInvoker;
  readonly inTurn: NonNullable<GatewayOptions["inTurn"]>;
  readonly clock: Pick<VirtualClock, "now" | "advance">;
  readonly functions: Pick<FunctionRuntime, "killNext">;
  /** For calls from outside of the platform. */
  readonly functionsUrl: string;
  readonly queuesUrl: string;
  /** Given the store's own answers, those to who has a presigned URL. */
  readonly presigned: (answer: ObjectStore["answer"]) => ObjectStore["answer"];
}
