import type { z } from "zod";
import { CertificateReminder, WebhookDisabledNotice } from "../../../shared/contract/alerts.ts";
import { AuthenticationAnswer, AuthenticationQuestion } from "../../../shared/contract/authentications.ts";
import {
  AuthorizationAnswer,
  AuthorizationQuestion,
} from "../../../shared/contract/authorization-endpoint.ts";
import {
  type ChosenEventType,
  chosenEventTypes,
  chosenNotifications,
} from "../../../shared/contract/chosen-notifications.ts";
import {
  DepositData,
  DepositOriginal,
  DisputeData,
  DisputeOriginal,
  HoldData,
  HoldOriginal,
  NotificationEnvelope,
  SettlementData,
  SettlementOriginal,
} from "../../../shared/contract/notifications.ts";
import { OtpCallback } from "../../../shared/contract/otp.ts";
import { TokenAnswer, TokenQuestion } from "../../../shared/contract/tokens.ts";
import { chosenBody, chosenExample } from "./chosen-examples.ts";
import { readAnswers } from "./examples.ts";
import type { Json, Schemas } from "./schemas.ts";

const { notifications } = readAnswers();

/** The messages that the platform sends, with recorded examples of all their layers. */
export function webhooksOf(schemas: Schemas): Record<string, Json> {
  const layers = (data: z.ZodType, original: z.ZodType): Json => {
    const inside = json("OriginalDataFromSp", schemas.of(original, "output"));
    const spData = { allOf: [schemas.of(data, "output"), inside] };
    return { allOf: [schemas.of(NotificationEnvelope, "output"), json("SpData", spData)] };
  };
  const of = (schema: z.ZodType) => schemas.of(schema, "output");
  const declared: readonly (readonly [name: string, summary: string, schema: Json])[] = [
    ["hold", "A hold was placed on a Card", layers(HoldData, HoldOriginal)],
    ["settlement", "A transaction was settled on a Card", layers(SettlementData, SettlementOriginal)],
    [
      "deposit",
      "A deposit on a Card was received, cleared or returned",
      layers(DepositData, DepositOriginal),
    ],
    ["dispute", "A dispute changed", layers(DisputeData, DisputeOriginal)],
    ["authorizationQuestion", "An authorization waits for a decision", of(AuthorizationQuestion)],
    ["oneTimePasscode", "A one-time passcode is ready to be fetched", of(OtpCallback)],
    ["certificateReminder", "A client certificate expires soon", of(CertificateReminder)],
    ["webhookDisabled", "The platform disabled a webhook endpoint", of(WebhookDisabledNotice)],
  ];
  const webhooks = declared.map(([name, summary, schema]) => {
    const example = notifications[name];
    if (!example) throw new Error(`The webhook ${name} was not recorded: run npm run record.`);
    const answer = name === "authorizationQuestion" ? of(AuthorizationAnswer) : undefined;
    return [name, receiver(summary, schema, example, answer)];
  });
  showLayers(schemas.components);
  return Object.fromEntries([
    ...webhooks,
    [
      "tokenQuestion",
      receiver("A wallet waits for a token", of(TokenQuestion), tokenQuestion, of(TokenAnswer)),
    ],
    [
      "authenticationQuestion",
      receiver(
        "An authentication waits for a decision",
        of(AuthenticationQuestion),
        authenticationQuestion,
        of(AuthenticationAnswer),
      ),
    ],
    ...chosenEventTypes.map((type) => chosenWebhook(type, of)),
  ]);
}

const asked = {
  eventId: "evt_00000000000000000000000001",
  cardId: "crd_00000000000000000000000001",
  cardholderId: "chd_00000000000000000000000001",
  deadline: "2026-01-01T00:00:02.000Z",
};

const tokenQuestion = TokenQuestion.parse({
  ...asked,
  type: "token.requested",
  tokenId: "tok_00000000000000000000000001",
  wallet: "apple_pay",
  network: "visa",
  requestorId: "40010030273",
  device: { type: "phone", name: "Phone" },
  risk: "yellow",
});

const authenticationQuestion = AuthenticationQuestion.parse({
  ...asked,
  type: "authentication.requested",
  authenticationId: "ath_00000000000000000000000001",
  amount: 4999,
  currency: 0,
  merchant: { name: "Web Shop", mcc: "5732", country: "FR" },
  channel: "browser",
  exemptions: ["low_value"],
  verification: { addressLine: "match", postalCode: "not_present" },
});

/** Types from 10 on, as the contract declares them. */
function chosenWebhook(eventType: ChosenEventType, of: (schema: z.ZodType) => Json) {
  const { type, summary } = chosenNotifications[eventType];
  const text = `${summary} (\`eventTypes\` ${eventType})`;
  return [type, receiver(text, of(chosenBody(eventType)), chosenExample(eventType))] as const;
}

/** `SpData` and `OriginalDataFromSp` as they are parsed, beside the examples of the whole body. */
function showLayers(components: Json): void {
  for (const [name, layer] of [
    ["hold", "Hold"],
    ["settlement", "Settlement"],
    ["deposit", "Deposit"],
    ["dispute", "Dispute"],
  ] as const) {
    const { SpData } = notifications[name] as { SpData: string };
    const data = JSON.parse(SpData) as { OriginalDataFromSp: string };
    (components[`${layer}Data`] as Json).examples = [data];
    (components[`${layer}Original`] as Json).examples = [JSON.parse(data.OriginalDataFromSp)];
  }
}

function json(field: string, contentSchema: Json): Json {
  const description = "The next layer, as JSON in a string.";
  const schema = { type: "string", contentMediaType: "application/json", contentSchema, description };
  return { type: "object", properties: { [field]: schema } };
}

function toName(summary: string): string {
  return summary
    .replace(/[^\w -]/g, "")
    .replace(/(?:^|[ -])(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** With an answer's schema, the receiver is asked. */
function receiver(summary: string, schema: Json, value: unknown, answer?: Json): Json {
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  });
  return {
    post: {
      operationId: `receive${toName(summary)}`,
      summary,
      tags: ["notifications"],
      security: [],
      parameters: [
        header("webhook-id", "Identifies the message. The same if it is sent again."),
        header("webhook-timestamp", "When it was sent, in Unix seconds."),
        header(
          "webhook-signature",
          "`v1,` and the Base64 HMAC-SHA256 of id, timestamp and body, once for each valid secret.",
        ),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema, examples: { recorded: { value } } } },
      },
      responses: answer ? answered(answer) : received,
    },
  };
}

const received = {
  "2XX": { description: "Received." },
  410: { description: "The receiver is gone: the platform disables the endpoint." },
  default: { description: "Not received. The platform retries the delivery." },
};

function answered(schema: Json): Json {
  const examples = { recorded: { value: { decision: "approve" } } };
  return {
    200: { description: "The decision.", content: { "application/json": { schema, examples } } },
    default: { description: "The stand-in policy for bad answers decides." },
  };
}
