import { describe, expect, test } from "vitest";
import { environmentNames, readSettings } from "../../infra/environments.ts";
import { copyTrials, of, silentTrial, throttledTrial, times } from "./alarm-trial.ts";
import { trialsOf } from "./alarm-trials.ts";
import { askingForAll } from "./given-listener-stack.ts";
import { type Resource, resolved, resourcesOf, synthesized } from "./synthesized.ts";
import { alarmsOf, tryAlarm } from "./try-alarm.ts";

type Alarm = Resource["Properties"];

describe.each(environmentNames)("the alarms of %s", (name) => {
  const templates = synthesized(name);
  const alarms = alarmsOf(templates, name);
  // The others share the account's concurrency, and its alarm.
  const throttled = resourcesOf(templates, "AWS::Lambda::Function").flatMap(([id, { Properties }]) => {
    const { FunctionName, ReservedConcurrentExecutions } = Properties;
    if (ReservedConcurrentExecutions === undefined) return [];
    const severity = FunctionName.endsWith("-deadlines") ? "ticket" : "page";
    return [[`${id.slice(0, -8)}Throttled`, throttledTrial({ FunctionName }, severity)] as const];
  });
  const settings = readSettings(name);
  const trials = { ...trialsOf(settings), ...copyTrials(settings), ...Object.fromEntries(throttled) };
  const ofEvents = [...alarms.keys()].filter((alarm) => /^(Events|Watch)Undelivered/.test(alarm));

  test("are all tried", () => {
    expect([...alarms.keys()].toSorted()).toEqual([...Object.keys(trials), ...ofEvents].toSorted());
  });

  test.each(Object.entries(trials))("%s goes off when it must, and only then", (alarm, trial) => {
    tryAlarm(templates, alarms.get(alarm), trial);
  });

  test("one undelivered event of any rule goes off", () => {
    const rules = resourcesOf(templates, "AWS::Events::Rule");
    for (const [id, { Properties }] of rules.filter(([, one]) => one.Properties.EventPattern)) {
      const bus = resolved(templates, Properties.EventBusName);
      const dimensions = {
        RuleName: id.slice(0, -8),
        ...(bus === "default" || bus === undefined ? {} : { EventBusName: `card-issuing-${name}` }),
      };
      const failed = (count: number) => of("AWS/Events", dimensions, { FailedInvocations: count });
      const own = ofEvents.filter((alarm) => looksAt(alarms.get(alarm), id));
      expect(own, id).toHaveLength(1);
      tryAlarm(templates, alarms.get(own[0] ?? ""), {
        severity: "page",
        off: [failed(1)],
        on: [times(5, failed(0)), times(5, [])],
      });
    }
  });
});

function looksAt({ Metrics }: Alarm, id: string): boolean {
  return JSON.stringify(Metrics).includes(`{"Ref":"${id}"}`);
}

test("silence is an alarm where the environment asks for it", () => {
  const templates = askingForAll();
  const alarms = alarmsOf(templates, "production");
  const requests = of("AWS/ApiGateway", { ApiName: "card-issuing-production-platform" }, { Count: 1 });
  tryAlarm(templates, alarms.get("RequestsSilent"), silentTrial(requests, 15));
  const authorizations = of("CardIssuing", { environment: "production" }, { Authorizations: 1 });
  tryAlarm(templates, alarms.get("AuthorizationsSilent"), silentTrial(authorizations, 60));
  for (const [alarm] of alarmsOf(synthesized("production"), "production"))
    expect(alarm).not.toMatch(/(Requests|Authorizations)Silent$/);
});
