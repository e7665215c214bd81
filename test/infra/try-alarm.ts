import { expect } from "vitest";
import { statesOf } from "./alarm-states.ts";
import type { Trial } from "./alarm-trial.ts";
import { type Resource, resolved, resource, resourcesOf, type Synthesized } from "./synthesized.ts";

type Alarm = Resource["Properties"];

/** By their names without the environment's. */
export function alarmsOf(templates: Synthesized, environment: string): Map<string, Alarm> {
  const named = resourcesOf(templates, "AWS::CloudWatch::Alarm").map(
    ([, { Properties }]) =>
      [Properties.AlarmName.replace(`card-issuing-${environment}-`, ""), Properties] as const,
  );
  return new Map(named);
}

export function tryAlarm(templates: Synthesized, alarm: Alarm, { severity, off, on }: Trial) {
  const [topic] = resource(
    templates,
    "AWS::SNS::Topic",
    { page: "AlarmTopic", ticket: "TicketTopic" }[severity],
  );
  expect(resolved(templates, alarm.AlarmActions), alarm.AlarmName).toEqual([{ Ref: topic }]);
  expect(resolved(templates, alarm.OKActions), alarm.AlarmName).toEqual([{ Ref: topic }]);
  const states = statesOf(templates, alarm, off);
  expect(states.at(-1), `${alarm.AlarmName} goes off`).toBe("ALARM");
  // Not before the last of them.
  expect(states.slice(0, -1), alarm.AlarmName).not.toContain("ALARM");
  for (const periods of on)
    expect(statesOf(templates, alarm, periods), `${alarm.AlarmName} stays on`).not.toContain("ALARM");
}
