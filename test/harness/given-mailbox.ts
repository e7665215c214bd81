import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type AwsEndpoint, type AwsParts, openAwsEndpoint } from "../../infra/local/endpoint/aws-endpoint.ts";
import { openMailbox } from "../../infra/local/endpoint/mailbox.ts";

/** The local SES, which stores the emails of these tests. */
export function givenMailbox() {
  const mailbox = mkdtempSync(path.join(tmpdir(), "mailbox-"));
  let aws: AwsEndpoint;
  beforeAll(async () => {
    aws = await openAwsEndpoint();
    aws.serve({ mailbox: openMailbox(mailbox, { now: () => Date.now() }) } as AwsParts);
    Object.assign(process.env, {
      AWS_ENDPOINT_URL_SESV2: aws.endpoint,
      SENDER_ADDRESS: "notices@issuing.example",
    });
  });
  afterAll(async () => {
    await aws.stop();
    rmSync(mailbox, { recursive: true });
  });
  const emails = () => readdirSync(mailbox).map((file) => readFileSync(path.join(mailbox, file), "utf8"));
  return { emails, emailsTo: (to: string) => emails().filter((email) => email.includes(`To: ${to}\r\n`)) };
}
