import type { APIGatewayProxyEvent, APIGatewayProxyResult } from "aws-lambda";
import { type KycOutcome, kycOutcomes } from "../../shared/adapters/compliance-port.ts";
import { type Cardholder, cardholders } from "../../shared/cardholders/cardholder.ts";
import { cardholderOfSession } from "../../shared/cardholders/review.ts";
import { CardholderStatus } from "../../shared/contract/enums.ts";
import { newId } from "../../shared/platform/id.ts";
import { applyOutcome } from "./compliance-webhook.ts";

/** The compliance provider of a local environment: a page on which a person decides. */
export async function servePage(event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> {
  const { programId = "", sessionId = "" } = event.pathParameters ?? {};
  const cardholder = await findReviewed(programId, sessionId);
  if (!cardholder) return page(404, "<h1>This review does not exist, or is over</h1>");
  if (event.httpMethod !== "POST") return page(200, form(cardholder));
  const outcome = readOutcome(event);
  if (!outcome) return page(422, `<h1>Choose an outcome</h1>${form(cardholder)}`);
  const result = await applyOutcome(programId, sessionId, outcome, `local:${newId("event")}`);
  if (result.outcome !== "applied") return page(409, "<h1>This review is over</h1>");
  return page(200, `<h1>Thank you</h1><p id="outcome">${labels[outcome]}</p>`);
}

async function findReviewed(programId: string, sessionId: string): Promise<Cardholder | undefined> {
  const cardholderId = cardholderOfSession(sessionId);
  const found = cardholderId && (await cardholders.at(programId, cardholderId).get());
  if (!found || found.status !== CardholderStatus.underReview) return undefined;
  return found.kycPage === "local" && found.kycSession === sessionId ? found : undefined;
}

function readOutcome({ body, isBase64Encoded }: APIGatewayProxyEvent): KycOutcome | undefined {
  const text = isBase64Encoded ? Buffer.from(body ?? "", "base64").toString() : (body ?? "");
  const given = new URLSearchParams(text).get("outcome");
  return kycOutcomes.find((outcome) => outcome === given);
}

const labels = {
  approved: "Approve",
  declined: "Decline",
  error: "Report an error",
  documents_required: "Ask for documents",
} as const satisfies Record<KycOutcome, string>;

/** Names the session alone: a page of personal data would stay in a browser's history. */
function form({ kycRequirement }: Cardholder): string {
  const buttons = kycOutcomes.map(
    (outcome) => `<button type="submit" name="outcome" value="${outcome}">${labels[outcome]}</button>`,
  );
  const asked = kycRequirement ? "<p>Documents were asked for.</p>" : "";
  return `<h1>Identity check</h1>${asked}<form method="post"><p>${buttons.join(" ")}</p></form>`;
}

function page(statusCode: number, content: string): APIGatewayProxyResult {
  const head =
    '<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Identity check</title>';
  return {
    statusCode,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": "default-src 'none'; form-action 'self'",
      "Cache-Control": "no-store",
    },
    body: `<!doctype html><html lang="en"><head>${head}</head><body><main>${content}</main></body></html>`,
  };
}
