import { Validations } from "aws-cdk-lib";
import type { IConstruct } from "constructs";

/** Accepts findings of the rule packs: by rule, with the reason. */
export function acknowledge(scope: IConstruct, reasons: Readonly<Record<string, string>>): void {
  const findings = Object.entries(reasons).map(([id, reason]) => ({ id, reason }));
  Validations.of(scope).acknowledge(...findings);
}
