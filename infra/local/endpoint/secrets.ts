import { createHash } from "node:crypto";
import { z } from "zod";
import { stateFile } from "../files.ts";
import type { Clock } from "../interfaces.ts";
import { randomInt } from "../randomness.ts";
import { type Assembly, type Resource, readProperties } from "../template.ts";

const SecretProperties = z.object({
  GenerateSecretString: z
    .strictObject({
      ExcludePunctuation: z.boolean().default(false),
      PasswordLength: z.number().int().min(4).default(32),
    })
    .prefault({}),
});

export type Secrets = ReturnType<typeof openSecrets>;

/** The template's secrets, generated once and stored in a file that only the owner can read. */
export function openSecrets(assembly: Assembly, file: string, clock: Pick<Clock, "now">) {
  const state = stateFile<Record<string, { value: string; createdAtSeconds: number }>>(file);
  const kept = state.read({});
  const createdAtSeconds = Math.floor(clock.now() / 1000);
  const resources = assembly.ofType("AWS::SecretsManager::Secret");
  for (const resource of resources)
    kept[resource.physicalName] ??= { value: generate(resource), createdAtSeconds };
  if (resources.length > 0) state.write(kept);
  const find = (nameOrArn: string) => {
    const found = resources.find(({ physicalName, arn }) => [physicalName, arn].includes(nameOrArn));
    const secret = kept[found?.physicalName ?? ""];
    if (found === undefined || secret === undefined) return undefined;
    return {
      ARN: found.arn,
      Name: found.physicalName,
      VersionId: createHash("sha256").update(secret.value).digest("hex").slice(0, 32),
      SecretString: secret.value,
      VersionStages: ["AWSCURRENT"],
      CreatedDate: secret.createdAtSeconds,
    };
  };
  return {
    find,
    /** Replaces the value, as found then. */
    put: (nameOrArn: string, value: string) => {
      const found = find(nameOrArn);
      if (found === undefined) return undefined;
      kept[found.Name] = { value, createdAtSeconds: Math.floor(clock.now() / 1000) };
      state.write(kept);
      return find(nameOrArn);
    },
  };
}

/** Generates a random text with every kind of character, Secrets Manager's default. */
function generate(resource: Resource): string {
  const { ExcludePunctuation, PasswordLength } = readProperties(
    resource,
    SecretProperties,
  ).GenerateSecretString;
  const letters = "abcdefghijklmnopqrstuvwxyz";
  const punctuation = ExcludePunctuation ? [] : ["!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~"];
  const kinds = [letters, letters.toUpperCase(), "0123456789", ...punctuation];
  const all = kinds.join("");
  for (;;) {
    const characters = Array.from({ length: PasswordLength }, () => all[randomInt(all.length)]);
    const has = (kind: string) => characters.some((character = "") => kind.includes(character));
    if (kinds.every(has)) return characters.join("");
  }
}
