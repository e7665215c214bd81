import { readFileSync } from "node:fs";
import type { Key } from "../../shared/platform/table/keys.ts";
import { contractCases } from "../harness/cases/cases.ts";
import { givenProgram } from "../harness/given-cards.ts";
import { givenNetwork } from "../harness/given-network.ts";
import { lifeOfACard } from "../harness/life-of-a-card.ts";

export interface Described {
  /** A sort key, or where it has a `#` in front, a part of the partition key. */
  readonly name: string;
  readonly heading: string;
  readonly kept: string;
}

/** What docs/storage.md says of each kind of item. */
export const described: readonly Described[] = readFileSync("docs/storage.md", "utf8")
  .split("\n## ")
  .flatMap((section) => {
    const rows = section.split("\n").filter((line) => line.startsWith("| `"));
    return rows.flatMap((row) => {
      const [, names = "", kept = ""] = row.split("|").map((cell) => cell.trim());
      return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => ({
        ...{ name, kept, heading: section.split("\n")[0] ?? "" },
      }));
    });
  });

const isOfPartition = ({ name }: Described) => /^(#|DESK)/.test(name);

function isOf({ name }: Described, { pk, sk }: Key): boolean {
  if (/^(#|DESK)/.test(name)) return name.endsWith("#") ? pk.includes(name) : pk.endsWith(name);
  return name.endsWith("…") ? sk.startsWith(name.slice(0, -1)) : sk === name;
}

/** Partitions first: their sort keys are ids. */
export function findDescription(key: Key): Described | undefined {
  const inOrder = [...described.filter(isOfPartition), ...described.filter((one) => !isOfPartition(one))];
  return inOrder.find((one) => isOf(one, key));
}

/** Each case of the contract that succeeds, and an event of each kind. */
export async function useThePlatform(): Promise<void> {
  for (const one of contractCases().filter(({ code }) => code === "OK")) {
    const program = await givenProgram({
      settings: { threeDSecure: true, issuanceApproval: one.manualIssuance ? 1 : 0 },
    });
    const route = `${one.route.method} ${one.route.path}` as const;
    const headers = one.route.movesFunds ? { headers: { "Idempotency-Key": "first" } } : {};
    const { status } = await program.call(route, { ...(await one.prepare(program)), ...headers });
    if (status !== 200) throw new Error(`${route} answered ${status}.`);
  }
  await lifeOfACard(await givenNetwork());
}
