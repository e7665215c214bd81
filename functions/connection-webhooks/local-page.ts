import { createHash } from "node:crypto";
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
  return page(
    200,
    `<h1>Thank you</h1><p id="outcome">${labels[outcome]}</p><p>The check is recorded. You may close this page.</p>`,
  );
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
  const asked = kycRequirement ? '<p class="asked">Documents were asked for.</p>' : "";
  return `<h1>Identity check</h1>${asked}
<p>By law, the issuer of a card must know who will hold it. This check takes a moment, and belongs to one application only.</p>
<ol><li>Your details have reached us safely with the application.</li><li>We compare them with what the law asks for.</li>
<li>The outcome goes to the issuer of your card, and to nobody else.</li></ol>
<form method="post"><fieldset><legend>Outcome of this check</legend><p>${buttons.join(" ")}</p></fieldset></form>
<p class="quiet">This is the test environment: here a person chooses the outcome, and no document is uploaded.</p>`;
}

const style = `:root{color-scheme:light dark}
body{background:light-dark(#eef2f7,#12161c);color:light-dark(#1b2430,#e6ebf2);font:1rem/1.55 system-ui,sans-serif;margin:0}
header{background:light-dark(#0f3d6b,#0c2c4d);color:#fff;font-weight:600;padding:.9rem 1.25rem}
main{background:light-dark(#fff,#1b222c);border-radius:.6rem;box-shadow:0 1px 6px #0003;margin:1.5rem auto;max-width:36rem;padding:1.25rem 1.5rem}
h1{font-size:1.5rem;margin:.2rem 0 .6rem}li{margin:.3rem 0}
fieldset{border:1px solid light-dark(#c4cedb,#465261);border-radius:.5rem;margin:1rem 0;padding:.4rem 1rem}
form p{display:flex;flex-wrap:wrap;gap:.6rem}
button{background:light-dark(#fff,#1b222c);border:1px solid light-dark(#0f3d6b,#8fbdf0);border-radius:.4rem;color:light-dark(#0f3d6b,#8fbdf0);
cursor:pointer;font:inherit;min-height:2.75rem;padding:.3rem 1rem}
button:first-child{background:light-dark(#0f3d6b,#8fbdf0);color:light-dark(#fff,#0c1a29)}
:focus-visible{outline:3px solid light-dark(#c26a00,#ffb454);outline-offset:2px}
.quiet{color:light-dark(#525f70,#a9b6c6);font-size:.9rem}.asked{font-weight:600}
@media(max-width:40rem){main{border-radius:0;margin:0}button{width:100%}}`;
/** The page's own style is the only one, and no script runs. */
const styleHash = createHash("sha256").update(style).digest("base64");

function page(statusCode: number, content: string): APIGatewayProxyResult {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Identity check</title><style>${style}</style>`;
  return {
    statusCode,
    headers: {
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": `default-src 'none'; style-src 'sha256-${styleHash}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
      "Cache-Control": "no-store",
    },
    body: `<!doctype html><html lang="en"><head>${head}</head><body><header>Identity check for your payment card</header><main>${content}</main></body></html>`,
  };
}
