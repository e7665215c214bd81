import { createServer, type IncomingMessage } from "node:http";
import { administerUsage, UsagePlans } from "../../infra/local/endpoint/usage-plans.ts";
import { ServiceError } from "../../infra/local/interfaces.ts";
import { forgetful } from "../../infra/local/test/forgetful.ts";
import { usagePlanName, usagePlans } from "../../shared/contract/rate-limits.ts";
import { listen } from "./listen.ts";

export interface UsageAdministration {
  readonly endpoint: string;
  readonly usage: UsagePlans;
}

/**
 * API Gateway's administration with the local usage plans. It does not keep the process running.
 */
export async function startUsageAdministration(contention?: Contention): Promise<UsageAdministration> {
  const plans = usagePlans.map((plan) => ({
    id: `plan-${plan}`,
    name: usagePlanName("local", plan),
    stages: (plan === "account"
      ? ["platform", "sandbox"]
      : plan === "sandbox"
        ? ["sandbox"]
        : ["platform"]
    ).map((apiId) => ({ apiId, stage: "live" })),
    ratePerSecond: 1,
    burst: 1,
  }));
  const usage = new UsagePlans(plans, forgetful, { now: Date.now });
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    const { status, headers, body: answer } = answerTo(usage, request, body, contention);
    response.writeHead(status, headers);
    response.end(answer === undefined ? "" : JSON.stringify(answer));
  });
  return { endpoint: await listen(server), usage };
}

/** Simulates a concurrent change, which answers 409: the change `failed` or `took effect`. */
export type Contention = () => "failed" | "took effect" | undefined;

/** API Gateway uses the same code for every conflict. */
const concurrentModification = {
  status: 409,
  headers: { "content-type": "application/json", "x-amzn-errortype": "ConflictException" },
  body: {
    message: "Unable to complete operation due to concurrent modification. Please try again later.",
  },
};

/** Injected faults are answered at once: the client repeats after the server's own. */
function answerTo(
  usage: UsagePlans,
  { method, url }: IncomingMessage,
  body: string,
  contention: Contention | undefined,
) {
  const refused = { status: 400, headers: {}, body: undefined };
  const contended = method === "GET" ? undefined : contention?.();
  if (contended === "failed") return concurrentModification;
  try {
    const answered = administerUsage(usage, { method, url, body }) ?? refused;
    return contended ? concurrentModification : answered;
  } catch (error) {
    if (!(error instanceof ServiceError)) return refused;
    const { status, code, message } = error;
    return { status, headers: { "x-amzn-errortype": code }, body: { message } };
  }
}
