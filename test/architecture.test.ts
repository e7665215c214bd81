import { existsSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import clientJson from "../client/package.json" with { type: "json" };
import packageJson from "../package.json" with { type: "json" };
import { type Import, parseSource, type SourceFile, sourceFiles } from "./harness/source-files.ts";

const shared = sourceFiles("shared");
const functions = sourceFiles("functions");
/** Workspaces keep their tests with them. */
const isOfTests = (file: SourceFile) => /^infra\/\w+\/test\//.test(file.path);
const infra = sourceFiles("infra").filter((file) => !isOfTests(file));
const client = sourceFiles("client").filter((file) => !file.path.startsWith("client/dist/"));
const tests = [...sourceFiles("test"), ...sourceFiles("infra").filter(isOfTests)];
const deployed = [...shared, ...functions];
const all = [...deployed, ...infra, ...client, ...tests];

/** The offences of a rule, as `file: what`; a rule holds when there are none. */
const offences = (files: readonly SourceFile[], of: (file: SourceFile) => readonly string[]) =>
  files.flatMap((file) => of(file).map((what) => `${file.path}: ${what}`));

const importsOutside = (
  files: readonly SourceFile[],
  allowed: (target: Import, file: SourceFile) => boolean,
) => offences(files, (file) => file.imports.filter((one) => !allowed(one, file)).map((one) => one.target));

const isIn = (file: { path: string } | string, ...folders: string[]) =>
  folders.some((folder) => (typeof file === "string" ? file : file.path).startsWith(`${folder}/`));

describe("who may import whom", () => {
  it("the contract imports zod and itself", () => {
    const contract = shared.filter((file) => isIn(file, "shared/contract"));
    expect(contract.length).toBeGreaterThan(0);
    const allowed = (one: Import) =>
      one.isLocal ? isIn(one.target, "shared/contract") : one.target === "zod";
    expect(importsOutside(contract, allowed)).toEqual([]);
  });

  it("a layer of shared imports only the layers below it", () => {
    const layers = ["contract", "platform", "lists", "tenancy", "domain", "delivery"];
    for (const [index, layer] of layers.entries()) {
      const files = shared.filter((file) => isIn(file, `shared/${layer}`));
      const below = layers.slice(0, index + 1).map((name) => `shared/${name}`);
      if (layer === "delivery") below.push("shared/adapters");
      expect(importsOutside(files, (one) => !one.isLocal || isIn(one.target, ...below))).toEqual([]);
    }
    const known = [...layers, "adapters"].map((name) => `shared/${name}`);
    const others = shared.filter((file) => !isIn(file, ...known));
    expect(others.map(({ path }) => path)).toEqual([]);
  });

  it("adapters know only contract and platform; functions and the delivery know them", () => {
    const adapters = shared.filter((file) => isIn(file, "shared/adapters"));
    const below = ["shared/contract", "shared/platform", "shared/adapters"];
    expect(importsOutside(adapters, (one) => !one.isLocal || isIn(one.target, ...below))).toEqual([]);
  });

  it("the list engine needs no contract", () => {
    const lists = shared.filter((file) => isIn(file, "shared/lists"));
    expect(importsOutside(lists, (one) => !isIn(one.target, "shared/contract"))).toEqual([]);
  });

  it("no modules of the domain or of tenancy import each other in a circle", () => {
    const graph = readModuleGraph(shared);
    expect(circles(graph)).toEqual([]);
    expect(
      [...graph].map(([module, imported]) => `${module}: ${imported.join(", ")}`),
    ).toMatchInlineSnapshot(`
      [
        "domain/books: domain/cards, domain/deposits, domain/disputes, domain/ledger, domain/proofs, domain/wallets, lists",
        "domain/cardholders: domain/changes, lists",
        "domain/cards: domain/cardholders, domain/changes, domain/ledger, domain/notifications, domain/transactions, lists, tenancy/programs",
        "domain/changes: domain/ledger",
        "domain/controls: lists, tenancy/programs",
        "domain/decisions: domain/controls",
        "domain/deposits: domain/cards, domain/changes, domain/ledger, domain/notifications, domain/transactions, lists, tenancy/programs",
        "domain/disputes: domain/ledger, domain/transactions, lists",
        "domain/holds: domain/controls, domain/transactions, lists",
        "domain/ledger: lists",
        "domain: domain/cardholders, domain/cards, domain/controls, domain/deposits, domain/disputes, domain/holds, domain/ledger, domain/notifications, domain/transactions, domain/wallets, lists",
        "domain/network: domain/cards, domain/changes, domain/controls, domain/decisions, domain/disputes, domain/holds, domain/ledger, domain/notifications, domain/transactions, tenancy/programs",
        "domain/notifications: domain/transactions, lists",
        "domain/passcodes: domain/cards, domain/changes, tenancy/programs",
        "domain/proofs: domain/deposits, domain/holds, domain/ledger, domain/transactions",
        "domain/settlements: domain/holds, domain/ledger, domain/network, domain/transactions, lists",
        "domain/simulations: domain/cards, domain/controls, domain/holds, domain/ledger, domain/network, domain/transactions, lists, tenancy/programs",
        "domain/statements: domain/cards, domain/deposits, domain/ledger, domain/proofs, domain/transactions, domain/wallets, tenancy/programs",
        "domain/transactions: domain/controls, lists",
        "domain/vault: ",
        "domain/wallets: domain/cards, domain/changes, domain/ledger, domain/notifications, domain/transactions, lists, tenancy/programs",
        "tenancy/administration: tenancy",
        "tenancy/allowlist: tenancy, tenancy/programs",
        "tenancy/api-keys: tenancy, tenancy/programs",
        "tenancy: ",
        "tenancy/certificates: tenancy, tenancy/programs",
        "tenancy/connections: tenancy, tenancy/programs",
        "tenancy/programs: tenancy",
        "tenancy/tickets: tenancy",
        "tenancy/usage: tenancy/programs",
      ]
    `);
  });

  // Lambda's client is imported at its first use, and each of its calls has an own limit.
  it("a module with a client of AWS takes the limits of its requests from request-limits.ts", () => {
    const isClient = ({ target, names, isType }: Import) =>
      !isType && target.startsWith("@aws-sdk/client-") && names.some((name) => name.endsWith("Client"));
    const isLimited = ({ imports }: SourceFile) =>
      imports.some(({ names }) => names.includes("requestLimits"));
    const files = deployed.filter(({ imports }) => imports.some(isClient));
    expect(files.length).toBeGreaterThan(5);
    expect(files.filter((file) => !isLimited(file)).map(({ path }) => path)).toEqual([]);
  });

  it("a function imports shared and itself, never another function", () => {
    const own = (file: SourceFile) => file.path.split("/").slice(0, 2).join("/");
    const allowed = (one: Import, file: SourceFile) => !one.isLocal || isIn(one.target, "shared", own(file));
    expect(importsOutside(functions, allowed)).toEqual([]);
  });

  it("the client imports itself, what its package declares, and the contract's types", () => {
    const allowed = ({ isLocal, isType, target }: Import) =>
      isLocal
        ? isIn(target, "client") || (isType && isIn(target, "shared/contract"))
        : target.startsWith("node:") || target in clientJson.dependencies;
    expect(importsOutside(client, allowed)).toEqual([]);
  });

  it.each([
    ["infra/constructs", "shared/contract", "infra/environments.ts"],
    ["infra/stacks", "shared/contract", "infra/environments.ts", "infra/constructs"],
    ["infra/command-line"],
    ["infra/tools"],
    [
      "infra/development",
      "infra/command-line",
      "infra/console",
      "infra/local",
      "infra/tools",
      "shared/contract",
    ],
    ["infra/local-assembly", "infra/constructs", "infra/app.ts"],
    ["infra/commands/audit", "infra/command-line", "shared"],
    [
      "infra/commands",
      "infra/command-line",
      "infra/tools",
      "shared",
      "infra/constructs",
      "infra/stacks",
      "infra/environments.ts",
      "infra/app.ts",
      "functions/network",
      "client",
      "package.json",
    ],
  ])("%s imports itself and what is below it", (module, ...allowed) => {
    const files = infra.filter((file) => isIn(file, module));
    expect(files.length).toBeGreaterThan(0);
    const below = ({ isLocal, target }: Import) =>
      !isLocal || isIn(target, module, ...allowed) || allowed.includes(target);
    expect(importsOutside(files, below)).toEqual([]);
  });

  it("only commands that read a store import more of shared than the contract", () => {
    // The console shows what the tables have, by the entities and lists that the functions use.
    const commandsOfStores = ["archive", "audit", "failover", "pepper", "restore"].map(
      (name) => `infra/commands/${name}`,
    );
    const stores = [...commandsOfStores, "infra/console"];
    const commands = ["infra/commands/audit.ts", "infra/commands/lists.ts"];
    const others = infra.filter((file) => !isIn(file, ...stores) && !commands.includes(file.path));
    const allowed = ({ isLocal, target }: Import) =>
      !isLocal ||
      !isIn(target, "shared") ||
      isIn(target, "shared/contract") ||
      target === "shared/tenancy/certificates/shared-domain.ts";
    expect(importsOutside(others, allowed)).toEqual([]);
  });

  it("deployed code imports only packages that are deployed with it", () => {
    const installed = new Set(Object.keys(packageJson.dependencies));
    // Types of Lambda's events are erased before anything runs.
    const allowed = ({ isLocal, isType, target }: Import) =>
      isLocal || target.startsWith("node:") || installed.has(target) || (isType && target === "aws-lambda");
    expect(importsOutside(deployed, allowed)).toEqual([]);
  });

  it("every package is declared", () => {
    const { dependencies, devDependencies, optionalDependencies } = packageJson;
    const declared = new Set(Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies }));
    const allowed = ({ isLocal, isType, target }: Import) =>
      isLocal ||
      target.startsWith("node:") ||
      declared.has(target) ||
      (isType && declared.has(`@types/${target}`));
    // Those declare theirs: workspaces.test.ts.
    const others = all.filter((file) => !isIn(file, ...packageJson.workspaces) || isOfTests(file));
    expect(importsOutside(others, allowed)).toEqual([]);
  });

  it("no files import each other in a circle", () => {
    expect(cycles(all)).toEqual([]);
  });
});

describe("one place each", () => {
  const usedOutside = (names: readonly string[], ...places: string[]) =>
    offences(
      deployed.filter((file) => !places.includes(file.path) && !isIn(file, ...places)),
      (file) => [
        ...names.filter((name) => file.globals.has(name)),
        ...file.imports.flatMap((one) =>
          one.isType ? [] : one.names.filter((name) => names.includes(name)),
        ),
      ],
    );

  it.each([
    ["DynamoDB", ["DynamoDBClient", "DynamoDBDocumentClient"], "shared/platform/table"],
    ["SQS", ["SQSClient"], "shared/platform/queue"],
    ["SES", ["SESv2Client"], "shared/platform/send-email.ts"],
    ["S3", ["S3Client"], "shared/platform/file-store.ts"],
    ["EventBridge", ["EventBridgeClient"], "functions/outbox-relay"],
    ["Secrets Manager", ["SecretsManagerClient"], "shared/platform/read-secret.ts"],
    ["API Gateway", ["APIGatewayClient"], "shared/tenancy/usage"],
  ])("%s's client is made in its module", (_, clients, module) => {
    expect(usedOutside(clients, module)).toEqual([]);
  });

  it("items are read and written by entities: DynamoDB's commands stay in the table's module and the lists'", () => {
    const allowed = ["shared/platform/table", "shared/lists"];
    const files = deployed.filter((file) => !isIn(file, ...allowed));
    expect(
      importsOutside(files, ({ target, isType }) => isType || target !== "@aws-sdk/lib-dynamodb"),
    ).toEqual([]);
  });

  it("environment variables are read in shared/platform/environment.ts", () => {
    expect(usedOutside(["process.env"], "shared/platform/environment.ts")).toEqual([]);
  });

  it("the time is asked for in shared/platform/clock.ts", () => {
    const clocks = ["new Date()", "Date.now", "Date()", "performance.now", "setTimeout()", "setInterval()"];
    expect(usedOutside(clocks, "shared/platform/clock.ts")).toEqual([]);
  });

  it("randomness comes from shared/platform/id.ts", () => {
    const sources = [
      "Math.random",
      "randomBytes",
      "randomUUID",
      "randomInt",
      "getRandomValues",
      "ulid",
      "monotonicFactory",
    ];
    expect(
      usedOutside([...sources, "crypto.randomUUID", "crypto.getRandomValues"], "shared/platform/id.ts"),
    ).toEqual([]);
  });

  it("lines go to the log, not to the console", () => {
    const writers = ["console.log", "console.error", "console.warn", "console.info", "console.debug"];
    expect(usedOutside(writers)).toEqual([]);
    expect(usedOutside(["process.stdout", "process.stderr"], "shared/platform/log.ts")).toEqual([]);
  });
});

describe("names and sizes", () => {
  it("a file says what it holds", () => {
    const vague = /^(index|utils?|helpers?|services?|common|managers?|repositor(y|ies)|misc|lib)$/;
    const parts = (file: SourceFile) => file.path.replace(/(\.test)?\.ts$/, "").split("/");
    expect(offences(all, (file) => parts(file).filter((part) => vague.test(part)))).toEqual([]);
  });

  it("a file is named in kebab-case", () => {
    const kebab = /^[a-z0-9]+(-[a-z0-9]+)*(\.proof)?(\.test)?\.ts$/;
    expect(offences(all, (file) => (kebab.test(path.basename(file.path)) ? [] : ["its name"]))).toEqual([]);
  });

  it("a code is named by its enum", () => {
    const isEnums = (file: SourceFile) => file.path === "shared/contract/enums.ts";
    const files = [...deployed, ...infra].filter((file) => !isEnums(file));
    expect(offences(files, ({ bareCodes }) => bareCodes)).toEqual([]);
  });

  it.each([
    "const entry = { transType: 101 };",
    "const isGbp = view.walletCurrencyId === 2;",
    "const isWanted = endpoint.eventTypes.includes(3);",
    "const query = z.object({ status: z.literal([1, 2]) });",
  ])("a bare code is found: %s", (text) => {
    expect(parseSource("a.ts", text).bareCodes).toHaveLength(1);
  });

  it("a function fits a screen", () => {
    const shipped = [...deployed, ...infra, ...client];
    expect(offences(shipped, ({ longFunctions }) => longFunctions)).toEqual([]);
  });

  it("a comment ends before column 100", () => {
    expect(offences(all, ({ wideComments }) => wideComments)).toEqual([]);
  });

  it("a function's folder has its handler", () => {
    const folders = new Set(functions.map((file) => file.path.split("/")[1]));
    for (const folder of folders) expect(existsSync(`functions/${folder}/handler.ts`), folder).toBe(true);
  });

  it("no test is switched off or alone", () => {
    const switches = ["it", "test", "describe"].flatMap((name) =>
      ["skip", "only", "todo", "fails"].map((modifier) => `${name}.${modifier}`),
    );
    expect(offences(tests, (file) => switches.filter((name) => file.globals.has(name)))).toEqual([]);
  });
});

/** Each module of tenancy and domain, with the modules that it imports, types included. */
function readModuleGraph(files: readonly SourceFile[]): Map<string, string[]> {
  const moduleOf = (file: string) =>
    file.match(/^shared\/((tenancy|domain)\/[\w-]+(?=\/)|[\w-]+)/)?.[1] ?? file;
  const modules = new Map<string, Set<string>>();
  for (const file of files.filter((one) => isIn(one, "shared/tenancy", "shared/domain"))) {
    const module = moduleOf(file.path);
    const imported = modules.get(module) ?? new Set();
    for (const one of file.imports) if (one.isLocal) imported.add(moduleOf(one.target));
    modules.set(module, imported);
  }
  const everywhere = ["contract", "platform"];
  return new Map(
    [...modules].map(([module, imported]) => [
      module,
      [...imported].filter((one) => one !== module && !everywhere.includes(one)).toSorted(),
    ]),
  );
}

/** Chains of value imports that come back to where they began. */
function cycles(files: readonly SourceFile[]): string[] {
  return circles(
    new Map(
      files.map((file) => [
        file.path,
        file.imports.filter((one) => one.isLocal && !one.isType).map((one) => one.target),
      ]),
    ),
  );
}

function circles(importsOf: ReadonlyMap<string, readonly string[]>): string[] {
  const finished = new Set<string>();
  const found: string[] = [];
  const follow = (file: string, trail: readonly string[]) => {
    if (trail.includes(file)) {
      found.push([...trail.slice(trail.indexOf(file)), file].join(" -> "));
    } else if (!finished.has(file)) {
      for (const next of importsOf.get(file) ?? []) follow(next, [...trail, file]);
      finished.add(file);
    }
  };
  for (const file of importsOf.keys()) follow(file, []);
  return found;
}
