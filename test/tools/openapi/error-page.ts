import { type ErrorCode, errorCatalogue } from "../../../shared/contract/errors.ts";
import { commonErrors } from "./operation.ts";
import type { Json } from "./schemas.ts";

const remedies: Readonly<Record<ErrorCode, string>> = {
  MALFORMED_BODY:
    "Send a JSON object whose fields have the documented types. `errors` lists every fault, of more than 50 the first ones.",
  API_KEY_INVALID: "Send the key of the certificate's Tenant and Program. After a rotation, use the new key.",
  CERTIFICATE_NOT_AUTHORIZED: "Use a registered certificate that is not revoked.",
  SUSPENDED: "Nothing can be done with the API. Ask support.",
  IP_NOT_AUTHORIZED:
    "Allow the address (`/account/ip-allowlist`). Its reverse DNS name must be under a domain of the certificate, and lead back to the address.",
  REQUEST_BLOCKED: "Send fewer requests from this address. If one request alone is blocked, ask support.",
  OPERATION_NOT_ALLOWED:
    "The message names the operation and the key's role. Use a key that may, or change the role with a Tenant-level key of the role `everything`.",
  COMPLIANCE_STATE: "Wait until the Cardholder is Approved.",
  SECOND_PERSON: "Let another API user of the Program approve it.",
  EXTERNAL_ACCOUNT_NOT_VERIFIED:
    "Verify the external account first, with `POST /external-accounts/{externalAccountId}/verification`.",
  MANDATE_CANCELLED: "Record a new mandate that the account's holder has signed.",
  NOT_FOUND:
    "Check the id, and that key and environment are those of its Program. `errors` names fields of the body whose record does not exist. `/account` needs a Tenant-level key. The rest needs a Program's: with a Tenant's, lists are empty and all else is this.",
  NOT_ACCEPTABLE:
    "Send the `Accept` of one of the endpoint's formats, or none and `format`. A statement of more than 100,000 entries has no PDF.",
  LOCKED_FIELDS:
    "Leave out the locked fields, or send them unchanged: names, `dateOfBirth`, `gender`, `nationality` and `address.country`.",
  ILLEGAL_TRANSITION:
    "The message says the status that there is, and those that permit the operation. [State machines](state-machines.md) say what leads to them.",
  DESIGN_NOT_APPROVED: "Use an Approved design slot, or wait for its review.",
  CARD_BLOCKED: "Nothing can be done with the API. Ask support.",
  REPLACEMENT_PENDING: "Activate the replacement, or report it lost by its `plasticId`.",
  CARD_NOT_EMPTY:
    "To close it, wait for holds and deposits, and name `sweepToWalletId` for the money that is left. For another Wallet to spend from, `moveBalance` moves that, and holds stay.",
  CARD_FUNDED_BY_WALLET:
    "Move money to or from its Wallet, or give the Card money of its own with `PUT /cards/{cardId}/funding`.",
  KEY_USED: "Make a new key on the device for each reveal.",
  NONCE_USED:
    "If this is a repetition, the PIN is set. Else let the device encrypt it again, with a new `nonce`.",
  INSUFFICIENT_FUNDS: "Deposit in the Wallet, or issue the Card without a `load`, and transfer later.",
  LIMIT_REACHED:
    "Remove one of the resources that is no longer needed. If a ticket is full of comments, raise a new one.",
  EVIDENCE_REQUIRED:
    "Add evidence, upload the file, and submit when its `status` is `uploaded`. A piece that was uploaded before the request does not count.",
  AMOUNT_EXCEEDED:
    "Dispute at most what was settled, less what was refunded, reversed or is disputed. Omit `amount` for all of that.",
  ACCOUNT_EXISTS:
    "`existingId` is the external account that has it. Use that, or archive it first to add the account anew.",
  EXTERNAL_ID_EXISTS:
    "`existingId` is the record that has it. If this is a repetition, that is what it made. Else choose another `externalId`.",
  REFERENCE_EXISTS:
    "If this is a repetition, the first settlement counts. Else send its own `referenceCode`.",
  CARDS_NOT_CLOSED: "Close the Cardholder's Cards first.",
  REPLAY_IN_PROGRESS: "Wait for it: `GET /webhooks/replays/{replayId}`.",
  SIMULATION_IN_PROGRESS: "Wait for it: `GET /simulations/{simulationId}`.",
  DAY_NOT_CLOSED: "Wait until the Program's next day has begun, and a minute more.",
  IDEMPOTENCY_IN_PROGRESS: "Retry after a moment, with the same key and body.",
  ALREADY_CREATED:
    "Read what was created: `errors` names it. Its secret is shown once only: rotate it, or delete what was created and create it anew.",
  VALIDATION_FAILED:
    "Correct the values. `errors` lists every fault with its place, and what an endpoint takes instead of an unknown parameter.",
  AMOUNTS_WRONG:
    "Ask the holder to read the statement again. `attemptsLeft` says how often; with 0, begin another verification.",
  IDEMPOTENCY_MISMATCH: "Use a new `Idempotency-Key` for each new request.",
  UNSUPPORTED_MEDIA_TYPE:
    "Send the body in UTF-8 and not compressed: `errors` names the header that says otherwise.",
  PAYLOAD_TOO_LARGE: "Send a smaller body.",
  RATE_LIMITED: "Wait, then retry at a lower rate.",
  INTERNAL: "Retry with growing waits. For a request that moves money, use the same `Idempotency-Key`.",
  UNAVAILABLE: "Retry with growing waits. For a request that moves money, use the same `Idempotency-Key`.",
};

/** `docs/errors.md`: each code with its meaning, its remedy and the operations that answer it. */
export function errorPage(document: Json): string {
  const codes = (Object.keys(errorCatalogue) as ErrorCode[]).toSorted(
    (one, other) => errorCatalogue[one].status - errorCatalogue[other].status,
  );
  const rows = codes.map((code) => {
    const { status, message } = errorCatalogue[code];
    return `| ${status} | [\`${code}\`](#${code.toLowerCase()}) | ${message.replace(/\.?$/, ".")} | ${remedies[code]} |`;
  });
  const operations = operationsByCode(document);
  const sections = codes.map((code) => {
    const isCommon = (commonErrors as readonly ErrorCode[]).includes(code);
    return `## ${code}\n\n${isCommon ? "Every operation." : (operations.get(code) ?? []).join("<br>\n")}\n`;
  });
  return [intro, rows.join("\n"), "", "The operations that answer each:", "", ...sections].join("\n");
}

const intro = `# Errors

<!-- Written by npm run openapi. -->

Every error is answered with its HTTP status and this body. \`message\` is for people and may change; decide by \`code\`.
\`errors\` comes with 400, 404 of the body's ids, 415, 422, \`ALREADY_CREATED\` and \`LOCKED_FIELDS\`: of each fault the place, a code and
what would be right.
[Calling the platform](calling.md) says which requests can be repeated safely.

\`\`\`json
{
  "status": "error",
  "code": "VALIDATION_FAILED",
  "message": "…",
  "requestId": "…",
  "errors": [{ "path": "body.amount", "code": "too_small", "message": "must be at least 1" }]
}
\`\`\`

| \`code\` of a fault | the value |
|---|---|
| \`invalid_type\`, \`invalid_union\` | is missing, or of another type |
| \`invalid_value\` | is none of those that the message names |
| \`invalid_format\` | has another form than an id, a date or what else the message names |
| \`too_small\`, \`too_big\` | is beyond a bound: a number, or how many characters or items |
| \`custom\` | breaks a rule, which the message says |
| \`unrecognized_keys\`, \`unknown_parameter\` | is of a field or parameter that there is not; the message has those that there are |
| \`repeated\` | is given more than once |
| \`read_only\` | differs from what is there, and is only shown |
| \`not_found\` | names a record that does not exist |

An endpoint may have others, named after what is wrong.

| status | code | meaning | what to do |
|---|---|---|---|`;

function operationsByCode({ paths }: Json): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [path, operations] of Object.entries(paths as Record<string, Json>)) {
    for (const [method, operation] of Object.entries(operations)) {
      const { responses } = operation as { responses: Record<string, { $ref?: string }> };
      const codes = Object.values(responses).flatMap(({ $ref }) => $ref?.split("/").at(-1)?.split(".") ?? []);
      for (const code of codes)
        found.set(code, [...(found.get(code) ?? []), `\`${method.toUpperCase()} ${path}\``]);
    }
  }
  return found;
}
