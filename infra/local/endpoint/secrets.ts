import { createHash, randomInt } from "node:crypto";
import { z } from "zod";
import type { Assembly, Clock, Resource } from "../interfaces.ts";
import { readProperties } from "../provision/read-properties.ts";
import { StateFile } from "../state-file.ts";

const SecretProperties = z.object({
  GenerateSecretString: z
    .strictObject({
      ExcludeCharacters: z.string().default(""),
      ExcludeLowercase: z.boolean().default(false),
      ExcludeNumbers: z.boolean().default(false),
      ExcludePunctuation: z.boolean().default(false),
      ExcludeUppercase: z.boolean().default(false),
      IncludeSpace: z.boolean().default(false),
      PasswordLength: z.number().int().positive().default(32),
      RequireEachIncludedType: z.boolean().default(true),
    })
    .prefault({}),
});

interface Secret {
  arn: string;
  name: string;
  value: string;
  createdAtSeconds: number;
}

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const PUNCTUATION = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

/** The template's secrets: made once and kept in a file that only its owner reads. */
export class Secrets {
  readonly #secrets: Secret[];

  constructor(assembly: Assembly, file: string, clock: Pick<Clock, "now">) {
    const state = new StateFile<Record<string, Pick<Secret, "value" | "createdAtSeconds">>>(file);
    const kept = state.read({});
    const createdAtSeconds = Math.floor(clock.now() / 1000);
    this.#secrets = assembly.ofType("AWS::SecretsManager::Secret").map((resource) => {
      kept[resource.physicalName] ??= { value: generate(resource), createdAtSeconds };
      return { arn: resource.arn, name: resource.physicalName, ...kept[resource.physicalName] } as Secret;
    });
    if (this.#secrets.length > 0) state.write(kept);
  }

  /** What GetSecretValue answers; undefined where there is no such secret. */
  valueOf(nameOrArn: string): Record<string, unknown> | undefined {
    const secret = this.#secrets.find(({ name, arn }) => [name, arn].includes(nameOrArn));
    return (
      secret && {
        ARN: secret.arn,
        Name: secret.name,
        VersionId: createHash("sha256").update(secret.value).digest("hex").slice(0, 32),
        SecretString: secret.value,
        VersionStages: ["AWSCURRENT"],
        CreatedDate: secret.createdAtSeconds,
      }
    );
  }
}

function generate(resource: Resource): string {
  const options = readProperties(resource, SecretProperties).GenerateSecretString;
  const kinds = [
    options.ExcludeLowercase ? "" : LETTERS,
    options.ExcludeUppercase ? "" : LETTERS.toUpperCase(),
    options.ExcludeNumbers ? "" : "0123456789",
    options.ExcludePunctuation ? "" : PUNCTUATION,
    options.IncludeSpace ? " " : "",
  ]
    .map((kind) => [...kind].filter((character) => !options.ExcludeCharacters.includes(character)))
    .filter((kind) => kind.length > 0);
  const all = kinds.flat();
  if (all.length === 0) throw new Error("GenerateSecretString excludes every character");
  for (;;) {
    const password = Array.from({ length: options.PasswordLength }, () => all[randomInt(all.length)]);
    const has = (kind: string[]) => kind.some((character) => password.includes(character));
    if (!options.RequireEachIncludedType || kinds.every(has) || kinds.length > password.length) {
      return password.join("");
    }
  }
}
