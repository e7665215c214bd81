import { readFileSync } from "node:fs";
import { receivedWebhooks } from "../../functions/connection-webhooks/remember-webhook.ts";
import { circuits } from "../../shared/authorizations/decisions/circuit.ts";
import { closings } from "../../shared/books/closing.ts";
import { ledgerFiles } from "../../shared/books/ledger-file.ts";
import { unproduced } from "../../shared/cards/outside-requests.ts";
import { productionBatches } from "../../shared/cards/production.ts";
import { controls, controlsOfOwner } from "../../shared/controls/control.ts";
import { cardholderRulebooks, cardRulebooks, programRulebooks } from "../../shared/controls/rulebooks.ts";
import { usages } from "../../shared/controls/usage.ts";
import { evidence } from "../../shared/disputes/evidence.ts";
import { walletShards } from "../../shared/ledger/hot/shards.ts";
import { firstMessages, namedMessages } from "../../shared/network-events/message-names.ts";
import { unpostedEvents } from "../../shared/network-events/unposted-event.ts";
import { firstRefused, refusedInputs } from "../../shared/platform/refused/refused-input.ts";
import { disputeKey } from "../../shared/platform/table/dispute-keys.ts";
import * as allKeys from "../../shared/platform/table/keys.ts";
import { reportedKey } from "../../shared/platform/table/reported-keys.ts";
import { vaultKey } from "../../shared/platform/table/vault-keys.ts";
import { checkpoints } from "../../shared/proofs/checkpoint.ts";
import { fileClaims, fileParts } from "../../shared/settlements/network-record.ts";
import { reports } from "../../shared/settlements/report.ts";
import { currentSimulations, simulations } from "../../shared/simulations/simulation.ts";
import { closedMonths } from "../../shared/statements/closed-month.ts";
import { statementFiles } from "../../shared/statements/statement-file.ts";
import { connections } from "../../shared/tenancy/connections/connection.ts";
import { requests } from "../../shared/tenancy/requests.ts";
import { silentEvents } from "../../shared/transactions/silent-event.ts";
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

function isOf({ name }: Described, { pk, sk }: allKeys.Key): boolean {
  if (/^(#|DESK)/.test(name)) return name.endsWith("#") ? pk.includes(name) : pk.endsWith(name);
  return name.endsWith("…") ? sk.startsWith(name.slice(0, -1)) : sk === name;
}

/** Partitions first: their sort keys are ids. */
export function findDescription(key: allKeys.Key): Described | undefined {
  const inOrder = [...described.filter(isOfPartition), ...described.filter((one) => !isOfPartition(one))];
  return inOrder.find((one) => isOf(one, key));
}

/** Every kind of key that the platform makes, of parts that do not matter. */
export function everyKey(): allKeys.Key[] {
  const list = { programId: "prg", kind: { name: "transactions" } };
  const part = { segmentId: "01", copy: "t", index: 0 };
  const makers = [allKeys.issuingKey, allKeys.accountsKey, allKeys.tenantKey, allKeys.ticketKey];
  const others = [allKeys.webhookKey, allKeys.otpKey, reportedKey, disputeKey, vaultKey].flatMap((one) =>
    Object.values(one),
  );
  return [
    ...[...makers.flatMap((one): unknown[] => Object.values(one)), ...others].map((make) =>
      (make as (...ids: string[]) => allKeys.Key)("a", "b", "c"),
    ),
    allKeys.authoritiesKey,
    walletShards.at("a", "b", "c").key,
    checkpoints.at("a", "b").key,
    closings.at("a", "b").key,
    ledgerFiles.at("a", "2026-11-20", "csv").key,
    ...[cardRulebooks, cardholderRulebooks].map((one) => one.at("a", "b").key),
    programRulebooks.at("a").key,
    circuits.at("a").key,
    evidence.at("a", "b", "c").key,
    unproduced.at("a", "b").key,
    productionBatches.at("a", "b").key,
    usages.card.at("a", "b").key,
    controls.at("a", "b").key,
    controlsOfOwner.at("a", "b", "c").key,
    silentEvents.at("a", "b", "c").key,
    refusedInputs.at("a").key,
    requests.at("a", "bank").key,
    firstRefused.at("a").key,
    connections.at("a", "bank").key,
    receivedWebhooks.at("a", "b", "c").key,
    simulations.at("a", "b").key,
    closedMonths.at("a", "b", "2026-11").key,
    statementFiles.at("a", "b", "2026-11", "csv").key,
    currentSimulations.at("a").key,
    unpostedEvents.at("a", "b", "c").key,
    firstMessages.at("a", "b").key,
    namedMessages.at("a", "b", "c").key,
    fileParts.at("a", "b", "c", 0).key,
    fileClaims.at("a", "b").key,
    reports.at("a", "b").key,
    allKeys.listKey.change(list, 0, "01"),
    allKeys.listKey.manifest(list),
    allKeys.listKey.compacted(list, "01"),
    allKeys.listKey.block(list, part),
    allKeys.listKey.sparseIndex(list, part),
  ];
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
