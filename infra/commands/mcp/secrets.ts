import type { Route } from "../../../shared/contract/route.ts";

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

/** Whether a model would have to know a secret to call it, such as a subscription's token. */
export function takesSecret({ path, parameters, query, body }: Route): boolean {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
  const names = [
    inPath,
    ...[parameters, query?.shape, body?.shape].map((fields) => Object.keys(fields ?? {})),
  ];
  return names.flat().some((name) => secretMembers.has(name));
}

/** The answer with a note in place of each secret, at any depth. */
export function withoutSecrets(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (name, member) =>
    secretMembers.has(name) && member !== null ? "(left out)" : member,
  );
}
