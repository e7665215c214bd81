import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import * as z from "zod";
import {
  KeptResource,
  type KeptResources,
  keptChanges,
  keptResources,
} from "../../infra/deployment/kept-resources.ts";
import { synthesized } from "./synthesized.ts";

/** The environments in AWS. On this machine a new directory takes the place of what does not fit. */
export const keepingEnvironments = ["staging", "production"] as const;
export type KeepingEnvironment = (typeof keepingEnvironments)[number];

const KeptList = z.object({
  data: z.record(z.string(), KeptResource),
  service: z.record(z.string(), KeptResource),
});
export type KeptList = z.output<typeof KeptList>;

/** What an environment's stacks keep as they were deployed last. */
export function listed(name: KeepingEnvironment): KeptList {
  return KeptList.parse(JSON.parse(readFileSync(fileOf(name), "utf8")));
}

/** What they would keep as they are now. */
export function assembled(name: KeepingEnvironment): Readonly<Record<keyof KeptList, KeptResources>> {
  const { data, service } = synthesized(name);
  return { data: keptResources(data.toJSON()), service: keptResources(service.toJSON()) };
}

/** Writes the list as the stacks are now. Errors: something of it would be lost, or could not be deployed. */
export function record(name: KeepingEnvironment): void {
  const now = assembled(name);
  if (existsSync(fileOf(name))) {
    const before = listed(name);
    const changes = (["data", "service"] as const).flatMap((stack) => keptChanges(before[stack], now[stack]));
    const lines = changes.map(({ logicalId, what }) => `  ${logicalId}: ${what}`);
    if (lines.length > 0) throw new Error([`${name} keeps what would be lost:`, ...lines].join("\n"));
  }
  writeFileSync(fileOf(name), `${JSON.stringify(now, null, 2)}\n`);
}

function fileOf(name: KeepingEnvironment): string {
  return path.join(import.meta.dirname, "kept", `${name}.json`);
}
