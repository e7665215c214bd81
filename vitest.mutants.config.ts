import { defineConfig, type TestProjectInlineConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Most changes of what moves money fail one of its rules: they come first, and end a run early. */
class RulesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isOfRules = ({ moduleId }: TestSpecification) => moduleId.endsWith("/money-rules.test.ts");
    return files.toSorted((one, other) => Number(isOfRules(other)) - Number(isOfRules(one)));
  }
}

function project(name: string, isolate: boolean, include: string[]): TestProjectInlineConfiguration {
  return { extends: true, test: { name, isolate, include } };
}

/** The tests of stryker.config.js without the long random ones: the score is reproducible. */
export default defineConfig({
  test: {
    globalSetup: ["test/harness/engine-global.ts"],
    setupFiles: ["test/harness/engine-setup.ts"],
    // Some files look at how callers overlap.
    env: { TEST_DYNAMODB: "dynoxide" },
    sequence: { sequencer: RulesFirst },
    projects: [
      // One process runs all files of a change: importing what they share takes most of the time.
      project("money", false, [
        "test/shared/network-events/money-rules.test.ts",
        "test/shared/ledger/*.test.ts",
        "test/shared/authorizations/**/*.test.ts",
        "test/shared/controls/counted.test.ts",
        "test/shared/questions/ask.test.ts",
        "test/functions/processor-events/!(*.proof).test.ts",
        "test/functions/processor-events/many-postings.proof.test.ts",
        "test/functions/cards/{authorizations,funding,plastics}.test.ts",
        "test/functions/controls/{decision,limit}.test.ts",
        "test/functions/authentications/purchases.test.ts",
        "test/functions/{authentications,cards,controls,deadlines,disputes,tokens,wallets}/scenarios.test.ts",
        "test/functions/deadlines/{expire-due-hold,walk-changes}.test.ts",
        "test/functions/sandbox/translations.test.ts",
        "test/functions/settlements/status.test.ts",
        "test/functions/tokens/purchases.test.ts",
        "test/listener/{message-rules,later-messages}.test.ts",
        "test/audit/closed-months.test.ts",
        "test/functions/wallets/{hot-wallet,hot-wallet-reading}.test.ts",
      ]),
      project("access", true, ["test/functions/authorizer/*.test.ts"]),
    ],
    // Of the documentation, which is not in the copy that is changed.
    exclude: ["**/guide.test.ts"],
    testTimeout: 30_000,
    hookTimeout: 30_000,
  },
});
