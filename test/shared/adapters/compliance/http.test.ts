import { httpCompliance } from "../../../../shared/adapters/compliance/http.ts";
import { signatureHeaders } from "../../../../shared/platform/callbacks/signature.ts";
import { expectComplianceConformance } from "../../../harness/conformance/compliance.ts";

expectComplianceConformance({
  adapter: httpCompliance,
  sign: (body, secret, at) => signatureHeaders("e-1", Buffer.from(body), [secret], at),
  outcome: (sessionId, eventId, outcome) =>
    JSON.stringify({ type: "kyc.outcome", eventId, sessionId, outcome }),
  answer: (kycUrl) => JSON.stringify({ kycUrl }),
});
