import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { environment } from "./environment.ts";
import { requestLimits } from "./request-limits.ts";

/** Four attempts for throttling, timeouts and 5xx. */
const ses = new SESv2Client({
  maxAttempts: 4,
  requestHandler: requestLimits(5_000),
});

interface Email {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Sends from the platform's own address. @throws Error if SES rejects it */
export async function sendEmail({ to, subject, text }: Email): Promise<void> {
  const content = (Data: string) => ({ Data, Charset: "UTF-8" });
  await ses.send(
    new SendEmailCommand({
      FromEmailAddress: environment.senderAddress,
      Destination: { ToAddresses: [to] },
      Content: { Simple: { Subject: content(subject), Body: { Text: content(text) } } },
    }),
  );
}
