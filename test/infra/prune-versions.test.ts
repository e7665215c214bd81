import { describe, expect, test } from "vitest";
import { pruneVersions } from "../../infra/commands/rollback/prune-versions.ts";
import { steppedFunctions } from "../../infra/constructs/deployer-policies.ts";
import { readSettings } from "../../infra/environments.ts";
import type { EmulatedFunction } from "./aws/emulated-versions.ts";
import { givenAws } from "./aws/given-aws.ts";

const staging = readSettings("staging");
const versions = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

describe("earlier versions of functions", () => {
  const account = givenAws(staging);

  const given = (folder: string, made: EmulatedFunction) => {
    account.aws.versions.functions.set(`card-issuing-staging-${folder}`, made);
    return made;
  };

  test("lose their warm environments, and all but the newest five go", async () => {
    const made = given("processor-events", {
      published: versions(1, 12),
      warm: ["3", "11", "12"],
      aliases: { live: { version: "12" } },
    });
    expect(await pruneVersions(staging)).toBe("6 deleted, 2 no longer warm");
    expect(made.published).toEqual(versions(7, 12));
    expect(made.warm).toEqual(["12"]);
    expect(await pruneVersions(staging)).toBe("0 deleted, 0 no longer warm");
  });

  test("stay, and stay warm, if any alias gives them invocations: after a rollback, or in its steps", async () => {
    const made = given("vault", {
      published: versions(1, 20),
      warm: ["2", "3", "20"],
      aliases: { cards: { version: "2" }, messages: { version: "4", next: "3" } },
    });
    expect(await pruneVersions(staging)).toBe("12 deleted, 1 no longer warm");
    expect(made.published).toEqual(["2", "3", "4", ...versions(16, 20)]);
    expect(made.warm).toEqual(["2", "3"]);
  });

  test("are not looked at further where there are none", async () => {
    given("authorizer", { published: ["1"], warm: ["1"], aliases: { live: { version: "1" } } });
    expect(await pruneVersions(staging)).toBe("0 deleted, 0 no longer warm");
    // Two pages of versions, and the aliases.
    expect(account.aws.calls).toHaveLength(3 * steppedFunctions.length);
    expect(account.aws.calls.filter((call) => /provisioned|DELETE/.test(call))).toEqual([]);
  });

  test("stay if the caller may not delete them, and the deployment goes on", async () => {
    given("authorizer", { published: versions(1, 9), warm: [], aliases: { live: { version: "9" } } });
    account.aws.versions.isDeletable = false;
    expect(await pruneVersions(staging)).toBe("not deleted: Not authorized");
  });
});
