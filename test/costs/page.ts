import { assumptions, cardMonth } from "./assumptions.ts";
import { actionsOf, monthOf, type Recorded, standingUsage } from "./model.ts";
import {
  type Meter,
  type Price,
  priceRegion,
  prices,
  pricesAsOf,
  type Usage,
  usdByService,
  usdOf,
} from "./prices.ts";

const sizes = [10, 1_000, 100_000];

/** docs/costs.md: all of it, so that no figure in it is anything but computed. */
export function costsPage(recorded: Recorded): string {
  return `${[
    introduction(recorded),
    "## Each thing that happens",
    actionTable(recorded),
    "## A month",
    monthTable(recorded),
    "## What was measured",
    stepTable(recorded),
    "## What is assumed",
    assumptionTable(recorded),
    "## Prices",
    priceTable(),
  ].join("\n\n")}\n`;
}

function introduction({ measuredOn }: Recorded): string {
  return `# Costs

What the platform costs in AWS: for each thing that happens, and for a month of an environment like \`production\` with 10, 1,000 and 100,000 cards. This page is
written by \`npm run costs\`; a test compares it with what the script computes, and the recorded units with what the code takes now.

The units of DynamoDB, round trips, bytes and log lines are measured on the local engine, exactly; times are those of a warm run on a machine that others used too, on ${measuredOn}, than which a quarter was quicker, made
longer as [assumed](#what-is-assumed). Prices are AWS's list prices of ${priceRegion}, without free tiers, discounts or taxes. Nothing of it was compared with a bill.`;
}

function actionTable(recorded: Recorded): string {
  const rows = actionsOf(recorded).map(({ name, usage }) => {
    const by = usdByService(usage);
    const perMillion = (service: string) => dollars((by.get(service) ?? 0) * 1e6);
    const other =
      usdOf(usage) -
      ["API Gateway", "Lambda", "DynamoDB", "CloudWatch"].reduce((sum, one) => sum + (by.get(one) ?? 0), 0);
    return [
      code(name),
      amount(usage.readUnits),
      amount(usage.writeUnits),
      amount((usage.lambdaGbSeconds ?? 0) * 1_000),
      perMillion("API Gateway"),
      perMillion("Lambda"),
      perMillion("DynamoDB"),
      perMillion("CloudWatch"),
      dollars(other * 1e6),
      `**${dollars(usdOf(usage) * 1e6)}**`,
    ];
  });
  const head = [
    "",
    "read units",
    "write units",
    "Lambda ms",
    "API Gateway",
    "Lambda",
    "DynamoDB",
    "CloudWatch",
    "other",
    "sum",
  ];
  return `In dollars for a million of each, with all that follows from it: the authorizer of a request, the event on the bus, the list that the record stands in, the callback to one
endpoint.

${markdownTable(head, rows)}`;
}

function monthTable(recorded: Recorded): string {
  const months = [standingUsage(recorded), ...sizes.map((cards) => monthOf(recorded, cards))];
  const services = [...usdByService({}).keys()];
  const rows = services.map((service) => [
    service,
    ...months.map((month) => dollars(usdByService(month).get(service) ?? 0)),
  ]);
  const sums = ["**sum**", ...months.map((month) => `**${dollars(usdOf(month))}**`)];
  const perCard = [
    "for each card",
    "",
    ...sizes.map((cards, index) => amount(usdOf(months[index + 1] ?? {}) / cards)),
  ];
  const head = ["dollars", "nothing happens", ...sizes.map((cards) => `${cards.toLocaleString("en")} cards`)];
  const load = Object.entries(cardMonth).map(([name, times]) => [code(name), amount(times)]);
  return `${markdownTable(head, [...rows, sums, perCard])}

A card's month:

${markdownTable(["", "times"], load)}`;
}

function stepTable({ steps }: Recorded): string {
  const rows = Object.entries(steps).map(([name, one]) => [
    code(name),
    amount(one.readUnits),
    amount(one.writeUnits),
    String(one.roundTrips),
    one.milliseconds.toFixed(1),
    String(one.keptBytes),
    String(one.expiringByteMonths),
    String(one.listChanges),
    String(one.answeredBytes),
    String(one.logBytes),
  ]);
  const head = [
    "one run of the function",
    "read units",
    "write units",
    "round trips",
    "ms",
    "bytes kept",
    "byte months that expire",
    "changes of lists",
    "bytes answered",
    "bytes logged",
  ];
  return markdownTable(head, rows);
}

function assumptionTable({ standing }: Recorded): string {
  const a = assumptions;
  const rows = [
    [
      "Functions have 1,024 MB, of which 1,769 are a whole processor; what is measured takes longer by",
      a.slowdown.toFixed(2),
    ],
    ["A call of DynamoDB, SQS or EventBridge takes beside that, ms", String(a.roundTripMs)],
    ["A receiver of callbacks takes to answer, ms", String(a.receiverMs)],
    ["Deliveries that take a second attempt", `${a.failedDeliveries * 100} %`],
    ["Runs have one message, record or event each: there is no batch to share", ""],
    [
      "SQS requests of a message; pollers of a queue, each asking every 20 s",
      `${a.requestsOfMessage}; ${a.pollersOfQueue}`,
    ],
    ["Write units of a list's entry after its change ([measured](lists.md))", String(a.listEntryWriteUnits)],
    [
      "Bytes of log of a run by Lambda, of a request by the gateway and by the firewall",
      `${a.runLogBytes}, ${a.accessLogBytes}, ${a.firewallLogBytes}`,
    ],
    ["Log lines are kept for so many months", amount(standing.logRetentionMonths)],
    [
      "Bytes of a callback with its connection; of an answer's headers",
      `${a.callbackBytes}; ${a.answerHeaderBytes}`,
    ],
    ["KMS requests of a role that uses the tables, a month", String(a.keyRequestsOfRole)],
    ["Traces: each second's first run, and of the others", `${a.sampled * 100} %`],
    ["Data has been kept for so many months, but for what expires; indexes left out", String(a.keptMonths)],
    ["A run of the list indexer, GB seconds: few take anything in", String(a.indexerGbSeconds)],
    ["Lambda's reading of streams and starting by rules costs nothing", ""],
    ["Standing parts, as the templates of production have them", standingParts(standing)],
    [
      "Left out: cold starts, errors and retries of our own, the sandbox, passcodes, reports, the hosted zone, emails, support",
      "",
    ],
  ];
  return markdownTable(["", ""], rows);
}

function standingParts(standing: Recorded["standing"]): string {
  const { queues, roles, logRetentionMonths: _, ...parts } = standing;
  const named = Object.entries(parts).map(
    ([meter, count]) => `${count} × ${prices[meter as Meter].per.replace(" and month", "")}`,
  );
  return [...named, `${queues} queues with consumers`, `${roles} roles that use the tables`].join(", ");
}

function priceTable(): string {
  const rows = Object.values<Price>(prices).map(({ service, usd, per, listed, page }) => [
    service,
    per,
    usd < 0.01 ? `${amount(usd * 1e6)} a million` : amount(usd),
    listed ? `\`${listed.usage}\`, ${listed.published}` : "unverified for the region",
    page,
  ]);
  return `In dollars, first tier, as of ${pricesAsOf}. Where a usage type is named, the price was read in public copies of [AWS's price list](https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html)
of ${priceRegion}, published on that day; the list itself could not be asked. The others are what AWS and others write of its usual price.

${markdownTable(["service", "for a", "dollars", "in the price list", "page"], rows)}`;
}

function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map((_, column) => (column === 0 ? "---" : "---:")), ...rows]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

function code(name: string): string {
  return /^[A-Z]+ \//.test(name) ? `\`${name}\`` : name;
}

function dollars(usd: number): string {
  return usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
}

/** At most four digits that tell something. */
function amount(value: Usage[Meter] = 0): string {
  return value.toLocaleString("en", { maximumSignificantDigits: 4 });
}
