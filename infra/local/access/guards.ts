import { allOf } from "../all-of.ts";
import { functionEndpoints, type Surroundings } from "../surroundings.ts";
import type { AccessControl } from "./access-control.ts";
import { startGuard } from "./guard.ts";

/** The services as the functions reach them: each behind a guard. */
export interface Guards {
  /** Variables of the environment in which the SDK finds them. */
  readonly endpoints: Record<string, string>;
  /** A queue's URL, by which the SDK would find the engine itself, or any other value of a variable. */
  readonly guarded: (value: string) => string;
}

/** Stands a guard before each service; the stack stops them. */
export async function startGuards(
  { dynamo, sqs, aws }: Surroundings,
  access: AccessControl,
  stack: AsyncDisposableStack,
): Promise<Guards> {
  const before = async (endpoint: string) => {
    const guard = await startGuard(endpoint, (accessKeyId, call) => access.check(accessKeyId, call));
    stack.defer(() => guard.stop());
    return guard.endpoint;
  };
  const [dynamodb, queues, others] = await allOf([
    before(dynamo.endpoint),
    before(sqs.endpoint),
    before(aws.endpoint),
  ]);
  return {
    endpoints: functionEndpoints({ dynamodb, queues, others }),
    guarded: (value) => value.replaceAll(sqs.endpoint, queues),
  };
}
