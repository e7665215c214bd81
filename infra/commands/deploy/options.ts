import type { EnvironmentName } from "../../environments.ts";

export const deployedRegions = ["first", "second"] as const;
export type DeployedRegion = (typeof deployedRegions)[number];

export interface DeployOptions {
  readonly environment: EnvironmentName;
  readonly region: DeployedRegion;
  readonly bootstrap: boolean;
  readonly assembly: string | undefined;
  readonly caller: { readonly address: string | undefined; readonly domain: string | undefined } | "none";
  readonly keepData: boolean;
  readonly ignoreQuotas: boolean;
  readonly ignoreTrail: boolean;
  readonly accepted: ReadonlySet<string>;
  readonly connections: string;
  /** DNS needs minutes to publish a new host, and API Gateway to load a new truststore. */
  readonly patienceSeconds: number;
  readonly ofCdk: readonly string[];
}
