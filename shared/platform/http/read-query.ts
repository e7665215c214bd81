import type { APIGatewayProxyEvent } from "aws-lambda";
import type { Fault } from "../../contract/errors.ts";
import type { Route } from "../../contract/route.ts";
import { queryFaults } from "./faults.ts";

/** Takes only declared parameters, each once: a misspelt filter would answer everybody's rows. */
export function readQuery(
  { query: schema, formats }: Route,
  event: APIGatewayProxyEvent,
): { readonly value?: unknown; readonly faults: readonly Fault[] } {
  const declared = [...Object.keys(schema?.shape ?? {}), ...(formats ? ["format"] : [])];
  const values: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const [name, all] of Object.entries(event.multiValueQueryStringParameters ?? {})) {
    if (!declared.includes(name)) faults.push(unknownParameter(name, declared));
    else if (all && all.length > 1)
      faults.push({ path: `query.${name}`, code: "repeated", message: "must be given once" });
    // `chooseFormat` reads the format.
    else if (all?.[0] !== undefined && Object.hasOwn(schema?.shape ?? {}, name)) values[name] = all[0];
  }
  const parsed = schema?.safeParse(values);
  const wrong = parsed?.error?.issues.filter(({ path: [name] }) => !isRepeated(faults, name)) ?? [];
  return parsed?.success && faults.length === 0
    ? { value: parsed.data, faults }
    : { faults: [...faults, ...queryFaults(wrong)] };
}

function unknownParameter(name: string, declared: readonly string[]): Fault {
  const what = declared.length === 0 ? "takes none" : `takes ${declared.toSorted().join(", ")}`;
  const message = `is not a parameter of this endpoint, which ${what}`;
  return { path: `query.${name}`, code: "unknown_parameter", message };
}

function isRepeated(faults: readonly Fault[], name: unknown): boolean {
  return faults.some(({ path }) => path === `query.${String(name)}`);
}
