import { newVersion } from "./alarm-states.ts";
import { of, type Trial, times, type Values } from "./alarm-trial.ts";

/** Of the functions whose versions take over in steps. */
export const versionTrials = (named: (folder: string) => string): Readonly<Record<string, Trial>> => ({
  AuthorizerVersionFailing: versionTrial(named("authorizer"), "live", 50),
  ProcessorEventsFunctionVersionFailing: versionTrial(named("processor-events"), "live", 5),
  VaultVersionFailing: versionTrial(named("vault"), "listener", 5),
});

/** Of a new version's failures within a minute, where more than so many percent are too many. */
function versionTrial(FunctionName: string, alias: string, percent: number): Trial {
  const version = (ExecutedVersion: string, values: Values) =>
    of("AWS/Lambda", { FunctionName, Resource: `${FunctionName}:${alias}`, ExecutedVersion }, values);
  const failed = (Errors: number, Invocations: number) => version(newVersion, { Errors, Invocations });
  return {
    severity: "page",
    off: [failed(10 * percent + 1, 1_000)],
    on: [times(9, failed(10 * percent, 1_000)), times(9, failed(2, 2)), times(9, [])],
  };
}
