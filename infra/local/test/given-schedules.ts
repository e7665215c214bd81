import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stateFile } from "../files.ts";
import { givenServices, type Played, type Services } from "./given-services.ts";
import { arnOf, givenTemplate } from "./given-template.ts";

export const HOUR_MS = 3_600_000;
export const sweepArn = arnOf("AWS::Lambda::Function", "sweep");

/** The function `sweep`, each minute. */
export const minutely: [string, string, object] = [
  "AWS::Events::Rule",
  "minutely",
  { ScheduleExpression: "rate(1 minute)", State: "ENABLED", Targets: [{ Id: "t", Arn: sweepArn }] },
];

/**
 * Two scheduled functions and a queue's consumer. The clock begins early in a minute, so that no
 * minute ends by itself.
 */
export function givenSchedules(
  resources: Parameters<typeof givenTemplate>,
  functions: Record<string, Played>,
  directory = startOfMinute(),
): Promise<Services> {
  const template = givenTemplate(
    ["AWS::Lambda::Function", "sweep"],
    ["AWS::Lambda::Function", "report"],
    ["AWS::Lambda::Function", "worker"],
    ["AWS::Lambda::EventInvokeConfig", "sweeping", { FunctionName: "sweep", MaximumRetryAttempts: 0 }],
    ["AWS::Lambda::EventInvokeConfig", "reporting", { FunctionName: "report", MaximumRetryAttempts: 0 }],
    ["AWS::SQS::Queue", "work", { VisibilityTimeout: 60 }],
    [
      "AWS::Lambda::EventSourceMapping",
      "mapping",
      { EventSourceArn: arnOf("AWS::SQS::Queue", "work"), FunctionName: "worker" },
    ],
    ...resources,
  );
  return givenServices({ template, functions, directory });
}

function startOfMinute(): string {
  const directory = mkdtempSync(join(tmpdir(), "schedules-"));
  const clock = stateFile<{ offsetMs: number }>(join(directory, "clock.json"));
  clock.write({ offsetMs: 60_000 - (Date.now() % 60_000) });
  return directory;
}
