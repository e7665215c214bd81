import type { z } from "zod";
import { CertificateReminder, WebhookDisabledNotice } from "../../../shared/contract/alerts.ts";
import {
  DepositData,
  DepositOriginal,
  HoldData,
  HoldOriginal,
  NotificationEnvelope,
  SettlementData,
  SettlementOriginal,
} from "../../../shared/contract/notifications.ts";
import { OtpCallback } from "../../../shared/contract/otp.ts";
import type { Json, Schemas } from "./schemas.ts";

/** Describes the webhooks to a Program's and a Tenant's receivers, signed by Standard Webhooks. */
export function webhooksOf(schemas: Schemas): Json {
  const layers = (data: z.ZodType, original: z.ZodType): Json => {
    const inside = json("OriginalDataFromSp", schemas.of(original, "output"));
    const spData = { allOf: [schemas.of(data, "output"), inside] };
    return { allOf: [schemas.of(NotificationEnvelope, "output"), json("SpData", spData)] };
  };
  return {
    hold: receiver("Money is held on a Card", layers(HoldData, HoldOriginal)),
    settlement: receiver("A transaction is settled on a Card", layers(SettlementData, SettlementOriginal)),
    deposit: receiver(
      "A deposit on a Card is pending, cleared or returned",
      layers(DepositData, DepositOriginal),
    ),
    oneTimePasscode: receiver("A one-time passcode can be fetched", schemas.of(OtpCallback, "output")),
    certificateReminder: receiver("A certificate ends soon", schemas.of(CertificateReminder, "output")),
    webhookDisabled: receiver("A webhook endpoint is off", schemas.of(WebhookDisabledNotice, "output")),
  };
}

/** A string field that contains JSON. */
function json(field: string, contentSchema: Json): Json {
  const schema = { type: "string", contentMediaType: "application/json", contentSchema };
  return { type: "object", properties: { [field]: schema } };
}

function receiver(summary: string, schema: Json): Json {
  const header = (name: string, description: string) => ({
    name,
    in: "header",
    required: true,
    description,
    schema: { type: "string" },
  });
  return {
    post: {
      operationId: `receive${summary.replace(/(?:^|[ -])(\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      summary,
      tags: ["notifications"],
      security: [],
      parameters: [
        header("webhook-id", "The same on every delivery of the same notification."),
        header("webhook-timestamp", "When this delivery was sent, Unix seconds."),
        header(
          "webhook-signature",
          "`v1,` and the Base64 HMAC-SHA256 of id, timestamp and body; one for each valid secret.",
        ),
      ],
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: {
        "2XX": { description: "Received." },
        410: { description: "The receiver wants no more: the endpoint is switched off." },
        default: { description: "Sent again later." },
      },
    },
  };
}
