import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, expect, test } from "vitest";
import { environment } from "../../../shared/platform/environment.ts";
import { keepRefused } from "../../../shared/platform/refused/refused-input.ts";
import { table } from "../../../shared/platform/table/client.ts";
import { allStoredItems, type StoredItem } from "../../../test/harness/stored.ts";
import { type GivenStore, givenConsole, givenStore } from "./given-console.ts";

const given = givenConsole();
let store: GivenStore;
/** The pages by their paths. */
const pages = new Map<string, string>();

/** In an attribute that no page names, of every item. */
const canary = "canary-that-no-page-shows";

async function plant(items: readonly StoredItem[]): Promise<void> {
  for (const { pk, sk } of items) {
    for (const TableName of [environment.accountsTable, environment.issuingTable])
      await table
        .send(
          new UpdateCommand({
            TableName,
            Key: { pk, sk },
            UpdateExpression: "SET canary = :canary",
            ConditionExpression: "attribute_exists(pk)",
            ExpressionAttributeValues: { ":canary": canary },
          }),
        )
        .catch((error: Error) => {
          if (error.name !== "ConditionalCheckFailedException") throw error;
        });
  }
}

/** Follows every link from the first page. Queues are not there. */
async function crawl(from: readonly string[]): Promise<void> {
  const waiting = [...from];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (pages.has(path) || path.includes("/dead-letters")) continue;
    const { status, text } = await given.get(path);
    expect([path, status, status === 200 ? "" : text]).toEqual([path, 200, ""]);
    pages.set(path, text);
    const links = [...text.matchAll(/href="(\/console[^"]*)"/g)].map(([, href = ""]) =>
      href.replaceAll("&amp;", "&"),
    );
    // Sorting shows the same records, and the audit log's pages are one.
    waiting.push(...links.filter((href) => !href.includes("orderBy=") && !href.endsWith(".css")));
  }
}

beforeAll(async () => {
  store = await givenStore();
  await store
    .operate("create-api-key", { tenantId: store.caller.tenantId, programId: store.programId, name: "Key" })
    .catch(() => undefined);
  const refusedId = await keepRefused({ port: "bank", reason: "Iris Payer is no IBAN", input: "Iris Payer" });
  await store.call("POST /account/tickets", { body: { subject: "Cards", message: "They do not arrive" } });
  await plant(await allStoredItems());
  const { programId, transIdSc, chargebackId } = store;
  await crawl([
    "/console",
    `/console/refused/${refusedId}`,
    ...[`notifications/${transIdSc}`, `disputes/${chargebackId}`, "events/none"]
      .slice(0, 2)
      .map((path) => `/console/programs/${programId}/${path}`),
  ]);
});

test("the pages are those of every kind of record", () => {
  const kinds = new Set(
    [...pages.keys()].map((path) => path.split("?")[0]?.replaceAll(/[a-z]{3}_[0-9A-Z]{26}/g, "*")),
  );
  for (const kind of [
    "tenants/*",
    "programs/*",
    "programs/*/cards/*",
    "programs/*/wallets/*",
    "programs/*/cardholders/*",
    "programs/*/cards/*/plastics/*",
    "programs/*/tokens/*",
    "programs/*/authentications/*",
    "programs/*/controls/*",
    "programs/*/accounts/*",
    "programs/*/notifications/*",
    "programs/*/lists/transactions",
    "refused/*",
  ])
    expect(kinds).toContain(`/console/${kind}`);
});

test("an attribute that no page names is on none", () => {
  expect([...pages].filter(([, text]) => text.includes(canary)).map(([path]) => path)).toEqual([]);
});

/** Credentials, and personal data that nobody needs to operate the platform. */
const kept = new Set([
  ..."secret previousSecret keyHash token kycToken kycUrl codeHash code cardToken certificatePem".split(" "),
  ..."dateOfBirth email phone line1 line2 postalCode city nameOnCard shippingAddress body extendedPublicKeys".split(
    " ",
  ),
  ..."bitcoin ethereum tron addresses address requestHash bin input message".split(" "),
]);

function valuesOf(item: unknown, isKept = false): string[] {
  if (typeof item === "string") return isKept && item.length > 3 ? [item] : [];
  if (typeof item !== "object" || item === null || item instanceof Uint8Array) return [];
  return Object.entries(item).flatMap(([name, value]) => valuesOf(value, isKept || kept.has(name)));
}

test("no stored secret, and no personal data but names, is on any page", async () => {
  const items = await allStoredItems();
  const values = [...new Set([...valuesOf(items), "part-of-the-url", "whsec_of-the-connection"])];
  expect(values.length).toBeGreaterThan(15);
  const whole = [...pages.values()].join("\n");
  // A token that is the ULID of a Card is part of the Card's id.
  const found = values.filter((value) => whole.replaceAll(`_${value}`, "").includes(value));
  const at = (value: string) => [...pages].filter(([, text]) => text.includes(value)).map(([path]) => path);
  expect(found.map((value) => [value, at(value)])).toEqual([]);
});
