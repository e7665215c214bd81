import * as z from "zod";
import { text } from "../../contract/primitives.ts";
import { isSigned } from "../../platform/callbacks/signature.ts";
import { type ComplianceAdapter, kycOutcomes } from "../compliance-port.ts";
import { readJson } from "../read-json.ts";
import { RefusedInputError } from "../refused-input-error.ts";

const Answer = z.object({
  kycUrl: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .optional(),
});

const Outcome = z.object({
  type: z.literal("kyc.outcome"),
  eventId: text(100),
  sessionId: text(100),
  outcome: z.enum(kycOutcomes),
});

/** JSON in both directions, signed by Standard Webhooks. */
export const httpCompliance: ComplianceAdapter = {
  toRequest: (request) => JSON.stringify({ type: "kyc.requested", ...request }),

  readAnswer(body) {
    if (body.trim() === "") return {};
    try {
      return Answer.parse(JSON.parse(body));
    } catch {
      return undefined;
    }
  },

  verify: ({ headers, body }, secret, at) => isSigned(headers, body, secret, at),

  readOutcome({ body }) {
    const parsed = Outcome.safeParse(readObject(body));
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new RefusedInputError("VALIDATION_FAILED", `${issue?.path.join(".")}: ${issue?.message}.`);
  },
};

function readObject(body: string): unknown {
  const json = readJson(body);
  if (typeof json === "object" && json !== null && !Array.isArray(json)) return json;
  throw new RefusedInputError("MALFORMED_BODY", "It is not a JSON object.");
}
