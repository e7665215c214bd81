import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { installTool } from "../../infra/tools/install-tool.ts";
import { operationId } from "../../shared/contract/route.ts";
import { routeStatuses, routes } from "../../shared/contract/routes.ts";
import { openApiDocument } from "../tools/openapi/document.ts";
import { referenceFiles } from "../tools/openapi/reference-files.ts";
import { readNotes } from "../tools/openapi/schemas.ts";
import { operationDescriptions } from "../tools/openapi/texts.ts";

const root = path.join(import.meta.dirname, "../..");

/** The part of the linter that is used. */
interface Linter {
  createConfig(rules: { readonly extends: readonly string[] }): Promise<object>;
  lintFromString(given: {
    readonly source: string;
    readonly absoluteRef: string;
    readonly config: object;
  }): Promise<readonly { readonly message: string }[]>;
}

async function importLinter(): Promise<Linter> {
  const file = path.join(installTool("redocly"), "@redocly/openapi-core/lib/index.js");
  return import(pathToFileURL(file).href);
}

interface Operation {
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
  readonly deprecated?: boolean;
  readonly requestBody?: { required: boolean; content: Record<string, { examples?: object }> };
}
interface Parameterized {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: { readonly type?: string; readonly enum?: unknown; readonly maximum?: number };
  }[];
}
let document: Awaited<ReturnType<typeof openApiDocument>>;
let text: string;

beforeAll(async () => {
  document = await openApiDocument();
  text = `${JSON.stringify(document, null, 2)}\n`;
});

/** Concrete paths come before templated ones, and no webhookId is "replays". */
const unambiguous =
  "Paths should resolve unambiguously. Found two ambiguous paths: `/webhooks/{webhookId}/rotate-secret` and `/webhooks/replays/{replayId}`.";

describe("npm run openapi", () => {
  it.each(["docs/openapi.json", "docs/postman.json", "docs/errors.md"])(
    "has written %s from today's contract and recordings",
    (file) => {
      const current = referenceFiles(document)[file];
      expect(readFileSync(path.join(root, file), "utf8") === current).toBe(true);
    },
  );
});

describe("docs/openapi.json", () => {
  it("has the version of the API's specification", () => {
    expect(document.info).toMatchObject({ version: "1.0.1" });
  });

  it("passes the strict rules of a public linter, including its examples", async () => {
    const { createConfig, lintFromString } = await importLinter();
    const config = await createConfig({ extends: ["recommended-strict"] });
    const problems = await lintFromString({ source: text, absoluteRef: "openapi.json", config });
    expect(problems.filter(({ message }) => message !== unambiguous)).toEqual([]);
  });

  it("has every route with all of its statuses", () => {
    const paths = document.paths as Record<string, Record<string, Operation>>;
    for (const route of routes) {
      const place = `${route.api === "sandbox" ? "/sandbox" : ""}${route.path}`;
      const operation = paths[place]?.[route.method.toLowerCase()];
      const statuses = Object.keys(operation?.responses ?? {});
      expect(statuses, place).toEqual(expect.arrayContaining(routeStatuses(route).map(String)));
      expect(operation?.deprecated ?? false).toBe(route.deprecated !== undefined);
    }
  });

  it("has the bounds of each number in a query: what it permits is taken, and one more is not", () => {
    const paths = document.paths as Record<string, Record<string, Parameterized>>;
    const numbers = routes.flatMap(({ api, method, path: route, query }) => {
      const operation = paths[`${api === "sandbox" ? "/sandbox" : ""}${route}`]?.[method.toLowerCase()];
      const { parameters = [] } = operation ?? {};
      return parameters
        .filter(({ in: place, schema }) => place === "query" && schema.type === "integer" && !schema.enum)
        .map(({ name, schema: { maximum = Number.POSITIVE_INFINITY } }) => {
          const refused = (value: number) =>
            query?.safeParse({ [name]: String(value) }).error?.issues.some(({ path: [at] }) => at === name);
          return [name, refused(maximum) ?? false, refused(maximum + 1) ?? false];
        });
    });
    expect(numbers.length).toBeGreaterThan(100);
    expect(numbers.filter(([, largest, more]) => largest || !more)).toEqual([]);
  });

  it("shows a recorded body for every endpoint that requires one", () => {
    const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
      (one) => Object.values(one),
    );
    const bodies = operations.flatMap(({ requestBody }) => (requestBody?.required ? [requestBody] : []));
    expect(bodies.length).toBeGreaterThan(30);
    for (const { content } of bodies) {
      for (const { examples } of Object.values(content)) expect(examples).toBeDefined();
    }
  });
});

describe("an operation", () => {
  it("has a description, and every description is of one", () => {
    const operations = routes.map((route) => operationId(route));
    const where = "Each has a sentence in test/tools/openapi/operations.txt.";
    expect(Object.keys(operationDescriptions).toSorted(), where).toEqual(operations.toSorted());
  });

  it("has a sample that a shell can read", () => {
    const samples = [...text.matchAll(/"label": "curl",\s+"source": ("(?:[^"\\]|\\.)*")/g)];
    expect(samples).toHaveLength(routes.length);
    const script = samples.map(([, source = ""]) => JSON.parse(source)).join("\n");
    expect(spawnSync("bash", ["-n"], { input: script, encoding: "utf8" })).toMatchObject({
      status: 0,
      stderr: "",
    });
  });
});

describe("a field's description", () => {
  it("is the contract's comment", () => {
    const notes = readNotes(path.join(root, "shared/contract/wallets.ts")).get("TransferCreate");
    expect(notes?.fields.get("destinationType")).toBe("0: `destinationId` is a walletId. 1: it is a cardId.");
    expect(text).toContain("0: `destinationId` is a walletId. 1: it is a cardId.");
  });
});
