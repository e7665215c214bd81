import type { QuestionType } from "../contract/authorization-endpoint.ts";
import type { AuthorizationEndpoint } from "../controls/authorization-endpoint.ts";
import { lastProgramControls, readProgramControls } from "../controls/rulebooks.ts";
import { knowCircuit } from "./circuit.ts";

/** Whether there was one when it was last read: a hint of what to read next. */
export async function mayHaveEndpoint(programId: string, type: QuestionType): Promise<boolean> {
  return asksAbout((await lastProgramControls(programId))?.endpoint, type);
}

function asksAbout(endpoint: AuthorizationEndpoint | undefined, type: QuestionType): boolean {
  return endpoint !== undefined && (endpoint.questions?.includes(type) ?? type === "authorization");
}

/**
 * Where a Program's server is asked; undefined without a question. No round trip in most calls: it
 * is at most `leaseMs` old.
 */
export async function readEndpoint(
  programId: string,
  type: QuestionType,
): Promise<AuthorizationEndpoint | undefined> {
  const { endpoint } = await readProgramControls(programId);
  if (!asksAbout(endpoint, type)) return undefined;
  // It is read beside other work, so that the question does not wait for it.
  if (endpoint) knowCircuit({ programId, url: endpoint.url });
  return endpoint;
}
