import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import {
  type TransactionNotification,
  verifyNotification,
  verifyQuestion,
} from "../../client/src/card-issuing.ts";
import { chosenEventTypes } from "../../shared/contract/chosen-notifications.ts";
import { chosenExample } from "../tools/openapi/chosen-examples.ts";

const golden = path.join(import.meta.dirname, "../shared/notifications/golden");
const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const older = `whsec_${Buffer.alloc(32, 8).toString("base64")}`;

function sent(body: string, by = secret) {
  const at = new Date();
  return {
    "webhook-id": "ntf_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(by).sign("ntf_1", at, body),
  };
}

const bodies = readdirSync(golden).map(
  (file) => [file, readFileSync(path.join(golden, file), "utf8")] as const,
);

describe("a transaction's notification", () => {
  it.each(bodies)("%s is verified and read through its three layers", (_, body) => {
    const { kind, notification } = verifyNotification([secret], sent(body), Buffer.from(body));
    expect(kind).toBe("transaction");
    const { SpData, ...envelope } = notification as TransactionNotification;
    const { SpData: text, ...plain } = JSON.parse(body);
    expect(envelope).toEqual(plain);
    const data = JSON.parse(text);
    expect(SpData).toEqual({ ...data, OriginalDataFromSp: JSON.parse(data.OriginalDataFromSp) });
  });
});

describe("a notification that was chosen", () => {
  it.each(chosenEventTypes)("%i is told apart by its type", (eventType) => {
    const example = chosenExample(eventType);
    const body = JSON.stringify(example);
    expect(verifyNotification([secret], sent(body), body)).toEqual({ kind: "change", notification: example });
  });
});

describe("a signature", () => {
  const body = JSON.stringify({ cardId: "crd_00000000000000000000000001" });

  it("is accepted with any valid secret, as after a rotation", () => {
    expect(verifyNotification([secret, older], sent(body, older), body)).toEqual({
      kind: "oneTimePasscode",
      notification: JSON.parse(body),
    });
  });

  it("is rejected with another secret or other bytes", () => {
    expect(() => verifyNotification([secret], sent(body, older), body)).toThrow("No matching signature");
    expect(() => verifyNotification([secret], sent(body), `${body} `)).toThrow("No matching signature");
    expect(() => verifyNotification([], sent(body), body)).toThrow("at least one secret");
  });

  it("is rejected if it is old", () => {
    const at = new Date(Date.now() - 600_000);
    const headers = {
      ...sent(body),
      "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
      "webhook-signature": new Webhook(secret).sign("ntf_1", at, body),
    };
    expect(() => verifyNotification([secret], headers, body)).toThrow("too old");
  });
});

it("a certificate reminder is recognized by its type", () => {
  const body = JSON.stringify({ NotificationType: "CERTIFICATE_EXPIRY", DaysRemaining: 5 });
  expect(verifyNotification([secret], sent(body), body)).toMatchObject({ kind: "certificateReminder" });
});

it("a ping is no passcode", () => {
  const body = JSON.stringify({ type: "ping", webhookId: "whk_1", dateCreated: "2026-11-02T09:30:00.000Z" });
  expect(verifyNotification([secret], sent(body), body)).toEqual({
    kind: "ping",
    notification: JSON.parse(body),
  });
});

describe("a question", () => {
  const body = JSON.stringify({ type: "token.requested", tokenId: "tok_1", wallet: "apple_pay" });

  it("is read once any of the secrets fits", () => {
    expect(verifyQuestion([secret, older], sent(body, older), Buffer.from(body))).toEqual(JSON.parse(body));
  });

  it("is rejected with another secret or other bytes", () => {
    expect(() => verifyQuestion([secret], sent(body, older), body)).toThrow("No matching signature");
    expect(() => verifyQuestion([secret], sent(body), `${body} `)).toThrow("No matching signature");
  });
});
