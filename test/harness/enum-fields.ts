import { readdirSync } from "node:fs";
import * as z from "zod";
import * as enums from "../../shared/contract/enums.ts";
import { integerEnum } from "../../shared/contract/primitives.ts";

const contract = new URL("../../shared/contract/", import.meta.url);
const codeSchemas = new Set(
  Object.values<object>(enums).map((codes) => integerEnum(codes as Record<string, number>)),
) as ReadonlySet<unknown>;

/** Fields that the contract declares as integer enums: `transType`, `feeType`, … */
export const enumFields: ReadonlySet<string> = await readEnumFields();

async function readEnumFields(): Promise<Set<string>> {
  const files = readdirSync(contract).filter((file) => file.endsWith(".ts"));
  const modules = files.map((file) => import(new URL(file, contract).href));
  const fields = new Set<string>();
  const seen = new Set<unknown>();
  /** `field` is the name under which a schema of the contract contains the value. */
  const visit = (value: unknown, field = ""): void => {
    if (codeSchemas.has(value)) fields.add(field);
    if (typeof value !== "object" || value === null || seen.has(value) || codeSchemas.has(value)) return;
    seen.add(value);
    for (const [name, part] of Object.entries(value instanceof z.ZodType ? value._zod.def : value)) {
      if (name !== "shape") visit(part, field);
      else for (const [key, inner] of Object.entries(part)) visit(inner, key);
    }
  };
  for (const module of await Promise.all(modules)) visit({ ...module });
  fields.delete("");
  return fields;
}
