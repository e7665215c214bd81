import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Case } from "./cases/case.ts";
import { caseFile } from "./cases/recorded-case.ts";
import type { Received } from "./receiver.ts";
import { redactAnswer, redactText } from "./redact.ts";
import type { Answer } from "./replay.ts";

const file = path.join(import.meta.dirname, "../../events/answers.json");
type Json = Record<string, unknown>;

/** The bodies that the OpenAPI document shows as examples, redacted. */
interface RecordedAnswers {
  /** By function and operation: `cards/issue-card`. */
  readonly successes: Json;
  /** The first one of each code. */
  readonly errors: Json;
  /** By the name of the webhook in the document. */
  readonly notifications: Json;
  /** By function and operation, and by format. */
  readonly documents: Record<string, Json>;
}

export const noAnswers = (): RecordedAnswers => ({
  successes: {},
  errors: {},
  notifications: {},
  documents: {},
});

export function keepAnswer(answers: RecordedAnswers, one: Case, { status, body }: Answer): void {
  if (status !== 200) keepError(answers, body);
  else if (one.code === "OK") {
    answers.successes[path.posix.dirname(caseFile(one))] = redactAnswer(shortened(body), "success");
  }
}

export function keepDocument(answers: RecordedAnswers, one: Case, format: string, text: string): void {
  const operation = path.posix.dirname(caseFile(one));
  answers.documents[operation] = {
    ...answers.documents[operation],
    [format]: redactText(text),
  };
}

export function keepError({ errors }: RecordedAnswers, body: Json): void {
  errors[String(body.code)] ??= redactAnswer(body, "error");
}

/** As a request with `limit=2` is answered. */
function shortened(body: Json): Json {
  if (!Array.isArray(body.items) || body.items.length <= 2) return body;
  return { ...body, items: body.items.slice(0, 2), limit: 2 };
}

/** Keeps the last notification of each kind. */
export function keepNotifications({ notifications }: RecordedAnswers, received: readonly Received[]): void {
  for (const { body } of received) {
    const content = JSON.parse(body.toString()) as Json;
    notifications[kindOf(content)] = redactLayers(content);
  }
}

function kindOf({ SpData, NotificationType, type }: Json): string {
  if (type === "authorization.test") return "authorizationQuestion";
  if (NotificationType === "CERTIFICATE_EXPIRY") return "certificateReminder";
  if (NotificationType === "WEBHOOK_DISABLED") return "webhookDisabled";
  if (SpData === undefined) return "oneTimePasscode";
  const { MsgType } = JSON.parse(String(SpData)) as Json;
  return { HOLD: "hold", ACTTXN: "settlement", DISPUTE: "dispute" }[String(MsgType)] ?? "deposit";
}

function redactLayers(content: Json): Json {
  if (content.SpData === undefined) return redactAnswer(content, "success") as Json;
  const data = JSON.parse(String(content.SpData)) as Json;
  const original: unknown = JSON.parse(String(data.OriginalDataFromSp));
  const { SpData, ...envelope } = redactAnswer(
    { ...content, SpData: { ...data, OriginalDataFromSp: original } },
    "success",
  ) as Json & { SpData: Json };
  const OriginalDataFromSp = JSON.stringify(SpData.OriginalDataFromSp);
  return { ...envelope, SpData: JSON.stringify({ ...SpData, OriginalDataFromSp }) };
}

/** A part leaves the other answers as they are, and the first example of each error. */
export function writeAnswers(answers: RecordedAnswers, isPart: boolean): void {
  const old = isPart ? readAnswers() : noAnswers();
  const merged = {
    successes: inOrder({ ...old.successes, ...answers.successes }),
    errors: inOrder({ ...answers.errors, ...old.errors }),
    notifications: inOrder({ ...old.notifications, ...answers.notifications }),
    documents: inOrder({ ...old.documents, ...answers.documents }),
  };
  writeFileSync(file, `${JSON.stringify(merged, null, 1)}\n`);
}

function inOrder(members: Json): Json {
  return Object.fromEntries(Object.entries(members).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}

function readAnswers(): RecordedAnswers {
  return JSON.parse(readFileSync(file, "utf8")) as RecordedAnswers;
}
