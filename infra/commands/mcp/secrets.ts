import { z } from "zod";
import { CheckRule } from "../../../shared/contract/controls.ts";
import type { Route } from "../../../shared/contract/route.ts";
import { CheckResult } from "../../../shared/contract/verification.ts";

/** What a model must not see: credentials, passcodes, encrypted card data, links that act. */
const secretMembers: ReadonlySet<string> = new Set([
  "apiKey",
  "code",
  "cvv",
  "cardNumber",
  "jwe",
  "kycUrl",
  "password",
  "pin",
  "secret",
  "token",
]);

/** What the check of a PIN came to, or may come to, has the name of the PIN. It is no secret. */
const OfCheck = z.union([CheckResult, CheckRule]);

/** Whether a model would have to know a secret to call it, such as a subscription's token. */
export function takesSecret({ path, parameters, query, body }: Route): boolean {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const fields = [parameters, query?.shape, body?.shape].flatMap((shape) => Object.entries(shape ?? {}));
  const named = fields.filter(([, schema]) => !isOfCheck(schema)).map(([name]) => name);
  return [...inPath, ...named].some((name) => secretMembers.has(name));
}

function isOfCheck(schema: z.core.$ZodType): boolean {
  return z.safeParse(schema, CheckResult.enum.match).success && !z.safeParse(schema, "1234").success;
}

/** The answer with a note in place of each secret, at any depth. */
export function withoutSecrets(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, member) =>
    secretMembers.has(name) && member !== null && !OfCheck.safeParse(member).success ? "(left out)" : member,
  );
}
