import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writeWholeFile } from "../files.ts";
import type { Clock } from "../interfaces.ts";
import { randomUUID } from "../randomness.ts";

const Content = z.strictObject({ Data: z.string(), Charset: z.literal("UTF-8") });
const line = z.string().regex(/^[^\r\n]+$/, "must be one line");

/** The part of SES's SendEmail that functions use: a plain text to one address. */
export const SendEmailInput = z.strictObject({
  FromEmailAddress: z.email(),
  Destination: z.strictObject({ ToAddresses: z.tuple([z.email()]) }),
  Content: z.strictObject({
    Simple: z.strictObject({
      Subject: Content.extend({ Data: line }),
      Body: z.strictObject({ Text: Content }),
    }),
  }),
});
export type SendEmailInput = z.output<typeof SendEmailInput>;

export type Mailbox = ReturnType<typeof openMailbox>;

/** Stores emails in a folder, ordered by time. Any mail program can open them. */
export function openMailbox(directory: string, clock: Pick<Clock, "now">) {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return {
    deliver: ({ FromEmailAddress, Destination, Content: { Simple } }: SendEmailInput) => {
      const messageId = randomUUID();
      const at = new Date(clock.now());
      const email = [
        `Message-ID: <${messageId}@localhost>`,
        `Date: ${at.toUTCString()}`,
        `From: ${FromEmailAddress}`,
        `To: ${Destination.ToAddresses[0]}`,
        `Subject: ${Simple.Subject.Data}`,
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=UTF-8",
        "Content-Transfer-Encoding: 8bit",
        "",
        Simple.Body.Text.Data.replaceAll(/\r?\n/g, "\r\n"),
        "",
      ].join("\r\n");
      const file = join(directory, `${at.toISOString().replaceAll(":", "-")}-${messageId}.eml`);
      writeWholeFile(file, email, 0o600);
      return messageId;
    },
  };
}
