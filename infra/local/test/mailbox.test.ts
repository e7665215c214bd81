import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SESv2Client, SendEmailCommand, type SendEmailCommandInput } from "@aws-sdk/client-sesv2";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type AwsEndpoint, type AwsParts, openAwsEndpoint } from "../endpoint/aws-endpoint.ts";
import { openMailbox } from "../endpoint/mailbox.ts";
import { client } from "./given-services.ts";

const directory = join(mkdtempSync(join(tmpdir(), "mail-")), "mailbox");
let aws: AwsEndpoint;
let ses: SESv2Client;

beforeAll(async () => {
  aws = await openAwsEndpoint();
  const mailbox = openMailbox(directory, { now: () => Date.UTC(2030, 0, 2, 3, 4, 5) });
  aws.serve({ mailbox } as AwsParts);
  ses = new SESv2Client({ ...client, endpoint: aws.endpoint, maxAttempts: 1 });
});
afterAll(async () => {
  ses.destroy();
  await aws.stop();
  rmSync(join(directory, ".."), { recursive: true });
});

function send(subject: string, text: string, more: Partial<SendEmailCommandInput> = {}) {
  const content = (Data: string) => ({ Data, Charset: "UTF-8" });
  return ses.send(
    new SendEmailCommand({
      FromEmailAddress: "notices@issuing.example",
      Destination: { ToAddresses: ["ops@customer.example"] },
      Content: { Simple: { Subject: content(subject), Body: { Text: content(text) } } },
      ...more,
    }),
  );
}

describe("SES' SendEmail", () => {
  it("leaves a file in the mailbox that a mail program opens, and that only its owner reads", async () => {
    const { MessageId } = await send("Ablauf naht", "Grüße\nin zwei Zeilen");
    const [file = ""] = readdirSync(directory);
    expect(file).toBe(`2030-01-02T03-04-05.000Z-${MessageId}.eml`);
    expect(statSync(join(directory, file)).mode & 0o777).toBe(0o600);
    const [head, body] = readFileSync(join(directory, file), "utf8").split("\r\n\r\n");
    expect(head?.split("\r\n")).toEqual(
      expect.arrayContaining([
        "From: notices@issuing.example",
        "To: ops@customer.example",
        "Subject: Ablauf naht",
        "Date: Wed, 02 Jan 2030 03:04:05 GMT",
      ]),
    );
    expect(body).toBe("Grüße\r\nin zwei Zeilen\r\n");
  });

  it("rejects unsupported and malformed emails", async () => {
    const before = readdirSync(directory).length;
    await expect(send("One\r\nBcc: other@customer.example", "text")).rejects.toThrow();
    await expect(send("One", "text", { Destination: { ToAddresses: ["nobody"] } })).rejects.toThrow();
    await expect(send("One", "text", { ReplyToAddresses: ["a@b.example"] })).rejects.toThrow();
    expect(readdirSync(directory)).toHaveLength(before);
  });
});
