import { createServer, type IncomingMessage } from "node:http";
import { administerUsage, type Contention } from "../../infra/local/endpoint/usage-administration.ts";
import { UsagePlans } from "../../infra/local/endpoint/usage-plans.ts";
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

/** Injected faults are answered at once: the client repeats after the server's own. */
function answerTo(
  usage: UsagePlans,
  { method, url }: IncomingMessage,
  body: string,
  contention: Contention | undefined,
) {
  const refused = { status: 400, headers: {}, body: undefined };
  try {
    return administerUsage(usage, { method, url, body }, contention) ?? refused;
  } catch {
    return refused;
  }
}
