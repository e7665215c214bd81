import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import clientJson from "../client/package.json" with { type: "json" };
import packageJson from "../package.json" with { type: "json" };
import { type Import, parseSource, type SourceFile, sourceFiles } from "./harness/source-files.ts";

const shared = sourceFiles("shared");
/** Deployed as a container: what holds for functions holds for it. */
const listener = sourceFiles("infra/listener");
const functions = [...sourceFiles("functions"), ...listener];
/** Workspaces keep their tests with them. */
const isOfTests = (file: SourceFile) => /^infra\/\w+\/test\//.test(file.path);
const infra = sourceFiles("infra").filter(
  (file) => !isOfTests(file) && !file.path.startsWith("infra/listener/"),
);
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

/** From the bottom up. Above them are the capabilities: a folder each. */
const layers = ["contract", "platform", "lists", "tenancy"].map((name) => `shared/${name}`);

describe("who may import whom", () => {
  it("the contract imports zod and itself", () => {
    const contract = shared.filter((file) => isIn(file, "shared/contract"));
    expect(contract.length).toBeGreaterThan(0);
    const allowed = (one: Import) =>
      one.isLocal ? isIn(one.target, "shared/contract") : one.target === "zod";
    expect(importsOutside(contract, allowed)).toEqual([]);
  });

  it("a layer of shared imports only the layers below it", () => {
    for (const [index, layer] of layers.entries()) {
      const files = shared.filter((file) => isIn(file, layer));
      const below = layers.slice(0, index + 1);
      expect(importsOutside(files, (one) => !one.isLocal || isIn(one.target, ...below))).toEqual([]);
    }
  });

  it("a handler opens the door to hot Wallets with what moves money or reads balances", () => {
    const opening = "shared/ledger/hot/with-hot-wallets.ts";
    const movers = deployed.filter(({ path: file, imports }) =>
      imports.some(
        ({ isType, target, names }) =>
          !isType &&
          !isIn(file, "shared/ledger/hot") &&
          file !== "shared/wallets/wallet.ts" &&
          /^shared\/(ledger\/(hot-wallets|commit)|wallets\/wallet)\.ts$/.test(target) &&
          names.some((name) => ["commit", "readAccount", "readWhole", "readWholeWallet"].includes(name)),
      ),
    );
    const byPath = new Map(deployed.map((file) => [file.path, file]));
    const moves = (start: string) => {
      const met = new Set([start]);
      for (const file of met)
        for (const { isLocal, isType, target } of byPath.get(file)?.imports ?? [])
          if (isLocal && !isType) met.add(target);
      return movers.some(({ path: file }) => met.has(file));
    };
    const handlers = functions.filter((file) => file.path.endsWith("/handler.ts"));
    const unopened = handlers.flatMap((file) =>
      [...readFileSync(file.path, "utf8").matchAll(/(withHotWallets\(\s*)?import\("([^"]+)"\)/g)]
        .filter(([, opens, target = ""]) => !opens && moves(path.join(path.dirname(file.path), target)))
        .map(([, , target]) => `${file.path}: ${target}`),
    );
    expect(movers.length).toBeGreaterThan(5);
    expect(
      handlers.filter(({ imports }) => imports.some(({ target }) => target === opening)).length,
    ).toBeGreaterThan(5);
    expect(unopened).toEqual([]);
  });

  it("the engine of changes knows no capability but the ledger", () => {
    const below = [...layers, "shared/changes", "shared/ledger"];
    const files = shared.filter((file) => isIn(file, "shared/changes"));
    expect(files.length).toBeGreaterThan(0);
    expect(importsOutside(files, (one) => !one.isLocal || isIn(one.target, ...below))).toEqual([]);
  });

  it("adapters know only contract and platform; of shared, only delivery and payments know them", () => {
    const adapters = shared.filter((file) => isIn(file, "shared/adapters"));
    const below = ["shared/contract", "shared/platform", "shared/adapters"];
    expect(importsOutside(adapters, (one) => !one.isLocal || isIn(one.target, ...below))).toEqual([]);
    const others = shared.filter(
      (file) => !isIn(file, "shared/adapters", "shared/notifications/delivery", "shared/payments"),
    );
    expect(importsOutside(others, (one) => !isIn(one.target, "shared/adapters"))).toEqual([]);
  });

  it("the list engine needs no contract", () => {
    const lists = shared.filter((file) => isIn(file, "shared/lists"));
    expect(importsOutside(lists, (one) => !isIn(one.target, "shared/contract"))).toEqual([]);
  });

  it("no capabilities, nor folders of tenancy, import each other in a circle", () => {
    const graph = readModuleGraph(shared);
    expect(circles(graph)).toEqual([]);
    expect(
      [...graph].map(([module, imported]) => `${module}: ${imported.join(", ")}`),
    ).toMatchInlineSnapshot(`
      [
        "authentications: cardholders, cards, changes, controls, network-events, passcodes, plastics, questions, tenancy/programs, tokens, transactions, verification",
        "authorizations: authentications, authorizations/decisions, authorizations/holds, cardholders, cards, changes, controls, disputes, ledger, network-events, notifications, questions, tenancy/programs, transactions, verification",
        "authorizations/controls: authorizations/holds, cards, changes, controls, network-events, transactions, verification",
        "authorizations/decisions: controls, questions",
        "authorizations/holds: controls, transactions, verification",
        "books: cards, deposits, disputes, ledger, payments, proofs, wallets",
        "bulk: cardholders, cards, issuing, tenancy/connections",
        "cardholders: changes",
        "cards: cardholders, changes, ledger, notifications, tenancy/programs, transactions",
        "changes: ledger",
        "controls: cards, tenancy, tenancy/programs, transactions, verification",
        "deposits: cards, changes, ledger, notifications, tenancy/programs, transactions",
        "deposits/bank: changes, deposits, ledger, tenancy/programs",
        "deposits/custody: cards, changes, deposits",
        "disputes: authorizations/holds, changes, ledger, network-events, notifications, transactions",
        "external-accounts: cardholders, cards, changes",
        "issuing: cardholders, cards, controls, ledger, notifications/delivery, tenancy, tenancy/connections, tenancy/programs, wallets",
        "ledger: ",
        "ledger/hot: ledger",
        "list-kinds: authentications, authorizations/holds, bulk, cardholders, cards, controls, deposits, disputes, external-accounts, ledger, notifications, payments, plastics, reports, tokens, transactions, wallets",
        "network-events/apply: authentications, authorizations, authorizations/controls, authorizations/decisions, authorizations/holds, changes, disputes, network-events, plastics, questions, tokens",
        "network-events: authorizations/decisions, authorizations/holds, cards, changes, ledger, questions, tenancy/programs, transactions",
        "notifications/delivery: cardholders, changes, notifications, settlements, tenancy, tenancy/connections, transactions",
        "notifications: transactions",
        "passcodes: changes",
        "payments: changes, deposits, deposits/bank, external-accounts, ledger, tenancy/programs, wallets",
        "plastics: cards, changes, network-events, tenancy",
        "proofs: authorizations/holds, deposits, ledger, payments, transactions",
        "questions: changes, controls",
        "reports: authorizations, authorizations/holds, books, cards, ledger, plastics, proofs, statements, tenancy/programs, transactions, wallets",
        "settlements: authorizations/holds, disputes, ledger, network-events, transactions",
        "simulations: authorizations, authorizations/controls, authorizations/holds, books, cards, controls, ledger, network-events, tenancy/programs, transactions",
        "statements/formats: ",
        "statements: cardholders, cards, deposits, ledger, proofs, statements/formats, tenancy, tenancy/programs, transactions, wallets",
        "tenancy/administration: tenancy",
        "tenancy/allowlist: tenancy, tenancy/programs",
        "tenancy/api-keys: tenancy, tenancy/programs",
        "tenancy: ",
        "tenancy/certificates: tenancy, tenancy/programs",
        "tenancy/connections: tenancy, tenancy/programs",
        "tenancy/programs: tenancy",
        "tenancy/tickets: tenancy",
        "tenancy/usage: tenancy/programs",
        "tokens: cards, changes, controls, ledger, network-events, passcodes, plastics, questions, transactions, verification",
        "top-ups: cards, changes, ledger, tenancy, tenancy/programs, wallets",
        "transactions: verification",
        "verification: ",
        "wallets: cards, changes, ledger, notifications, tenancy/programs, transactions",
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

  it("a function, or the listener, imports shared and itself, never another", () => {
    const own = ({ path: file }: SourceFile) => file.split("/").slice(0, 2).join("/");
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
      "shared/platform/table/packed.ts",
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
      "infra/listener",
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
      target === "shared/platform/table/packed.ts" ||
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

  it("each transaction type that the platform uses has its row of what is true of it, or is one of these", () => {
    const plain = [
      ...[
        "authorization_declined",
        "balanceinquiry",
        "pin_change",
        "refund_authorization",
        "transaction_unknown",
      ],
      ...["", "_completed", "_writeoff"].map((step) => `authorization_clearing_chargeback${step}`),
      ...["", "_completed", "_writeoff"].map((step) => `pindebit_chargeback${step}`),
      ...["authorization_clearing_representment", "gpa_credit", "gpa_credit_pending", "gpa_credit_reversal"],
      ...["token_activation_request", "token_advice"],
    ].map((name) => `TransactionType.${name}`);
    const rows = readFileSync("shared/contract/transaction-types.ts", "utf8");
    const isType = (name: string) => /^TransactionType\.(?!optional$)/.test(name);
    const files = deployed.filter((file) => !isIn(file, "shared/contract"));
    const used = new Set(files.flatMap(({ globals }) => [...globals].filter(isType)));
    expect([...used].filter((name) => !rows.includes(`[${name}]`)).toSorted()).toEqual(plain.toSorted());
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

describe("keys and words", () => {
  it("a key is spelled out where its entity declares it, and nowhere else", () => {
    expect(offences(deployed, ({ strayKeys }) => strayKeys)).toEqual([]);
    expect(parseSource("a.ts", 'const key = { pk: "DESK", sk };').strayKeys).toHaveLength(1);
  });

  it("the platform has no word of the business", () => {
    const words =
      /^(bank|card|cardholder|cash|chargeback|clearing|custody|deposit|dispute|evidence|fee|journal|kyc|ledger|merchant|otp|passcode|pin|posting|purchase|settlement|simulation|statement|suspense|ticket|transfer|wallet|withdrawal)s?$/i;
    // One place has the names of all settings, as the templates give them.
    const isSetting = (line: string) => line.includes("environment.");
    // What is kept of an input has none: this guard is the platform's. The product has its name.
    const withoutGuard = (line: string) => line.replace(/card.?numbers?|card-issuing-platform/gi, "");
    const files = shared.filter(
      (file) => isIn(file, "shared/platform") && !file.path.endsWith("/environment.ts"),
    );
    expect(files.length).toBeGreaterThan(40);
    const wordsOf = (line: string) => withoutGuard(line).match(/[A-Z]?[a-z]+|[A-Z]+(?![a-z])/g) ?? [];
    const said = (file: SourceFile) =>
      readFileSync(file.path, "utf8")
        .split("\n")
        .filter((line) => !isSetting(line) && wordsOf(line).some((word) => words.test(word)));
    expect(offences(files, said)).toEqual([]);
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

  it("few functions are named by what they are of: others say what they do", () => {
    const shipped = [...deployed, ...infra, ...client];
    const named = shipped.flatMap(({ path: file }) => [
      ...readFileSync(file, "utf8").matchAll(/\b(?!(?:last)?indexOf\b)[a-z]\w*Of(?= ?[(=:])/gi),
    ]);
    const names = new Set(named.map(([name]) => name));
    expect(names).toContain("sharesOf");
    expect([...names].length, [...names].join(" ")).toBeLessThanOrEqual(40);
  });

  it("a comment ends before column 100", () => {
    expect(offences(all, ({ wideComments }) => wideComments)).toEqual([]);
  });

  it("a comment is a sentence: it begins with neither Of nor For", () => {
    expect(offences([...deployed, ...infra, ...client], ({ fragments }) => fragments)).toEqual([]);
  });

  it.each([
    ["/** Of a Card. */", ["Of a Card. */"]],
    ["/**\n * For the operator.\n */", ["For the operator."]],
    ["// Of two, one wins.", ["Of two, one wins."]],
    ["// The later\n// Of two loses.", []],
    ["/** A part of it. For others, all. */", []],
  ])("a comment that is no sentence is found: %j", (text, found) => {
    expect(parseSource("a.ts", text).fragments).toEqual(found);
  });

  it("a function's folder has its handler", () => {
    const lambdas = functions.filter((file) => isIn(file, "functions"));
    const folders = new Set(lambdas.map((file) => file.path.split("/")[1]));
    for (const folder of folders) expect(existsSync(`functions/${folder}/handler.ts`), folder).toBe(true);
  });

  it("no test is switched off or alone", () => {
    const switches = ["it", "test", "describe"].flatMap((name) =>
      ["skip", "only", "todo", "fails"].map((modifier) => `${name}.${modifier}`),
    );
    expect(offences(tests, (file) => switches.filter((name) => file.globals.has(name)))).toEqual([]);
  });
});

/** Each folder of tenancy and of a capability, with the folders that it imports, types included. */
function readModuleGraph(files: readonly SourceFile[]): Map<string, string[]> {
  const moduleOf = (file: string) => path.dirname(file).slice("shared/".length) || path.basename(file, ".ts");
  const isBelow = (module: string) => /^(contract|platform|lists|adapters)\b/.test(module);
  const modules = new Map<string, Set<string>>();
  for (const file of files) {
    const module = moduleOf(file.path);
    if (isBelow(module)) continue;
    const imported = modules.get(module) ?? new Set();
    for (const one of file.imports) if (one.isLocal) imported.add(moduleOf(one.target));
    modules.set(module, imported);
  }
  return new Map(
    [...modules].map(([module, imported]) => [
      module,
      [...imported].filter((one) => one !== module && !isBelow(one)).toSorted(),
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
