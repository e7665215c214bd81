import { readFileSync } from "node:fs";
import { readTable } from "../../harness/rules-table.ts";

export type Field = readonly [description: string, example?: unknown];
export type Fields = Readonly<Record<string, Field>>;

const read = (file: string) => readTable(readFileSync(new URL(file, import.meta.url), "utf8"));
const tables = read("fields.txt");

function fieldsOf(isOne: (of: string) => boolean): Fields {
  const rows = tables.filter(({ of }) => isOne(of)).flatMap((table) => table.rows);
  return Object.fromEntries(
    rows.map(([name, text = "", example]) => [
      name,
      example === undefined ? [text] : [text, JSON.parse(example)],
    ]),
  );
}

const own = ["Parameters", "Notifications"];
export const answerFields = fieldsOf((of) => !own.includes(of));
/** In a path or query, some have a meaning of their own. */
export const parameterFields: Fields = { ...answerFields, ...fieldsOf((of) => of === "Parameters") };
/** Of the webhooks' three layers and of alerts. Amounts in the inner layers are decimals. */
export const notificationFields = fieldsOf((of) => of === "Notifications");

/** The components that have them. */
export const isNotification = (component: string): boolean =>
  /^(?:NotificationEnvelope|CertificateReminder|WebhookDisabledNotice|(?:Hold|Settlement|Deposit|Dispute)(?:Data|Original))$/.test(
    component,
  );

/** By operation id. */
export const operationDescriptions: Readonly<Record<string, string>> = Object.fromEntries(
  read("operations.txt").flatMap(({ of, rows }) => rows.map(([name, text = ""]) => [`${of}_${name}`, text])),
);
