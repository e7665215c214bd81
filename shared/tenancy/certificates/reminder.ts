import { GetCommand } from "@aws-sdk/lib-dynamodb";
import * as z from "zod";
import type { CertificateReminder } from "../../contract/alerts.ts";
import { timestamp } from "../../platform/clock.ts";
import { environment } from "../../platform/environment.ts";
import { table } from "../../platform/table/client.ts";
import { issuingKey } from "../../platform/table/keys.ts";
import type { WriteAction } from "../../platform/table/transact.ts";
import type { Certificate } from "./certificate.ts";
import type { DueReminder } from "./reminder-time.ts";

/** A reminder that was decided on: one for each certificate and day count. Every attempt to send it sends this very body. */
export const StoredReminder = z.object({
  tenantId: z.string(),
  reminderId: z.string(),
  certificateId: z.string(),
  /** JSON, rendered once. */
  body: z.string(),
});
export type StoredReminder = z.output<typeof StoredReminder>;

/** The id of the reminder of a certificate so many days before its end: always the same. */
export function reminderIdOf({ certificateId }: Certificate, { days }: DueReminder): string {
  return `${certificateId}-${days}`;
}

/** Writes the reminder, in the transaction that moves the certificate's deadline on. */
export function reminderPut(certificate: Certificate, due: DueReminder, at: Date): WriteAction {
  const { tenantId, certificateId, serialNumber, notAfter } = certificate;
  const reminderId = reminderIdOf(certificate, due);
  const body: CertificateReminder = {
    NotificationId: reminderId,
    NotificationType: "CERTIFICATE_EXPIRY",
    DaysRemaining: due.daysRemaining,
    CertSerialNumber: serialNumber,
    CertSubject: subjectOf(certificate),
    CertNotAfter: notAfter,
    DateCreated: timestamp(at),
  };
  const reminder: StoredReminder = { tenantId, reminderId, certificateId, body: JSON.stringify(body) };
  return {
    name: "reminder",
    Put: {
      TableName: environment.issuingTable,
      Item: { ...issuingKey.reminder(tenantId, reminderId), ...reminder },
    },
  };
}

/** What the certificate says of its holder, as far as the platform goes by it. */
function subjectOf({ tenantId, programIds }: Certificate): string {
  return [`O=${tenantId}`, ...programIds.map((programId) => `OU=${programId}`)].join(", ");
}

/** The reminder as it was decided on; undefined where there is none. One consistent read. */
export async function readReminder(
  tenantId: string,
  reminderId: string,
): Promise<StoredReminder | undefined> {
  const { Item } = await table.send(
    new GetCommand({
      TableName: environment.issuingTable,
      Key: issuingKey.reminder(tenantId, reminderId),
      ConsistentRead: true,
    }),
  );
  return Item && StoredReminder.parse(Item);
}
