import { assumptions, cardMonth } from "./assumptions.ts";
import { measuredEntries } from "./entry-bytes.ts";
import { listenerTable } from "./listener.ts";
import { amount, code, dollars, markdownTable } from "./markdown.ts";
import { actionsOf, metersOf, monthOf, type Recorded, standingUsage } from "./model.ts";
import { type Meter, type Price, priceRegion, prices, pricesAsOf, usdByService, usdOf } from "./prices.ts";
import { storingRoutes } from "./routes.ts";
import { storedYears } from "./storage-years.ts";

const sizes = [10, 1_000, 100_000];

/** docs/costs.md: all of it, so that no figure in it is anything but computed. */
export function costsPage(recorded: Recorded): string {
  return `${[
    introduction(recorded),
    "## Per action",
    actionTable(recorded),
    "## Per month",
    monthTable(recorded),
    "## A card network's listener",
    listenerTable(recorded.listener),
    "## Bytes kept",
    bytesTable(recorded),
    "## Storage over the years",
    yearsTable(recorded),
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

What the platform costs in AWS: per action, and per month for an environment like \`production\` with 10, 1,000 and
100,000 Cards. \`npm run costs\` writes this page. A test compares it with the code.

DynamoDB units, round trips, bytes and log lines are measured on the local engine and exact. Times were measured on
${measuredOn} on a shared machine (lower quartile of warm runs), then multiplied as [assumed](#what-is-assumed). Prices
are AWS's list prices in ${priceRegion}, without free tiers, discounts and taxes. They were not compared with a bill.`;
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
      // Not below zero by the rounding of its parts.
      dollars(Math.max(0, other) * 1e6),
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
  return `Dollars per million, including everything that follows: the authorizer, the event on the bus, the record's list, the
callback to one endpoint.

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
    "per Card",
    "",
    ...sizes.map((cards, index) => amount(usdOf(months[index + 1] ?? {}) / cards)),
  ];
  const head = ["dollars", "no activity", ...sizes.map((cards) => `${cards.toLocaleString("en")} Cards`)];
  const load = Object.entries(cardMonth).map(([name, times]) => [code(name), amount(times)]);
  return `${markdownTable(head, [...rows, sums, perCard])}

One Card's month:

${markdownTable(["", "times"], load)}`;
}

function bytesTable(recorded: Recorded): string {
  const rows = actionsOf(recorded)
    .filter(({ dayBytes }) => dayBytes > 0)
    .map(({ name, dayBytes, keptBytes }) => [code(name), String(dayBytes), String(keptBytes)]);
  for (const name of storingRoutes) {
    const step = recorded.steps[name];
    if (!step) throw new Error(`The step ${name} was not measured.`);
    rows.push([code(name), String(step.dayBytes), String(step.keptBytes)]);
  }
  return `What each adds to the tables, with 100 bytes for each item that DynamoDB adds, and with the entries of
a list of ${measuredEntries.toLocaleString("en")}. Rows that name an endpoint leave out webhook
deliveries; the rows above include them. Except for the books of a day, reads add nothing. [Storage](storage.md) says what is kept for how long, and why.

${markdownTable(["bytes", "a day later", "for good"], rows)}`;
}

function stepTable({ steps }: Recorded): string {
  const rows = Object.entries(steps).map(([name, one]) => [
    code(name),
    amount(one.readUnits),
    amount(one.writeUnits),
    String(one.roundTrips),
    one.milliseconds.toFixed(1),
    String(one.dayBytes),
    String(one.keptBytes),
    String(one.expiringByteMonths),
    String(one.listChanges),
    String(one.answeredBytes),
    String(one.logBytes),
  ]);
  const head = [
    "one run",
    "read units",
    "write units",
    "round trips",
    "ms",
    "bytes a day later",
    "bytes for good",
    "expiring byte months",
    "list changes",
    "bytes answered",
    "bytes logged",
  ];
  return markdownTable(head, rows);
}

function assumptionTable({ standing }: Recorded): string {
  const a = assumptions;
  const rows = [
    [
      `A whole processor is ${a.processorMegabytes} MB: measured times are multiplied. Functions have ${a.memoryMegabytes} MB, deliveries ${standing.deliveryMegabytes}`,
      [a.memoryMegabytes, standing.deliveryMegabytes]
        .map((megabytes) => (a.processorMegabytes / megabytes).toFixed(2))
        .join("; "),
    ],
    ["A call to DynamoDB, SQS or EventBridge takes, in addition, ms", String(a.roundTripMs)],
    ["A receiver answers after, ms", String(a.receiverMs)],
    ["Deliveries that need a second attempt", `${a.failedDeliveries * 100} %`],
    ["Each run handles one message, record or event: no batches, but of the list indexer", ""],
    [
      `It collects changes of a shard for so many seconds. Shards: at least ${a.leastShards}, one for each ${a.shardGb} GB`,
      String(standing.indexerWindowSeconds),
    ],
    [
      "SQS requests per message; pollers per queue, each polling every 20 s",
      `${a.requestsOfMessage}; ${a.pollersOfQueue}`,
    ],
    [
      "Write units for adding one entry to a list's segments ([measured](lists.md))",
      String(a.listEntryWriteUnits),
    ],
    [
      "Log bytes per run that succeeds by Lambda, per request by the gateway, per one that passes by the firewall",
      [standing.logsRuns && a.runLogBytes, a.accessLogBytes, standing.logsPassed && a.firewallLogBytes]
        .map((bytes) => bytes || "none")
        .join(", "),
    ],
    [
      "Months that logs are kept; compressed, as the AWS Pricing Calculator estimates, to",
      `${amount(standing.logRetentionMonths)}; ${a.logsCompressed * 100} %`,
    ],
    ["Bytes per callback including TLS; per answer's headers", `${a.callbackBytes}; ${a.answerHeaderBytes}`],
    ["KMS requests per month and role that uses the tables", String(a.keyRequestsOfRole)],
    [
      "Traces: the first run of each second, and of the others",
      standing.tracesRuns ? `${a.sampled * 100} %` : "none; an environment can ask for them",
    ],
    ["Write units for deleting a compacted change of a list, unless it expires", "1"],
    ["Transfers have no `memo` and `externalId`; with 60 characters of them, write units more", "2"],
    ["Months of data kept, except what expires", String(a.keptMonths)],
    ["GB seconds per run of the list indexer", String(a.indexerGbSeconds)],
    ["Lambda reads streams and runs rules for free. Runs in warm environments cost less: not counted", ""],
    ["Fixed parts, as in the templates of production", standingParts(standing)],
    ["Not included: cold starts, errors, the sandbox, passcodes, the hosted zone, emails, support", ""],
  ];
  return markdownTable(["", ""], rows);
}

function standingParts(standing: Recorded["standing"]): string {
  const { queues, roles } = standing;
  const named = Object.entries(metersOf(standing)).map(
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
  return `Dollars, first tier, as of ${pricesAsOf}. Prices with a usage type come from public copies of
[AWS's price list](https://docs.aws.amazon.com/awsaccountbilling/latest/aboutv2/using-price-list-query-api.html) for
${priceRegion}, published on the day given. The others come from AWS's pricing pages.

${markdownTable(["service", "for a", "dollars", "in the price list", "page"], rows)}`;
}

function yearsTable(recorded: Recorded): string {
  const rows = storedYears(recorded, 100_000).map((one) => [
    `${one.year}`,
    amount(Math.round(one.tableGb)),
    ...[one.tableUsd, one.recoveryUsd, one.monthUsd, one.infrequentUsd].map(dollars),
  ]);
  const head = [
    "100,000 Cards, years",
    "GB in tables",
    "tables",
    "recovery",
    "whole month",
    "with Standard-IA",
  ];
  const { infrequentStorage, infrequentUnit } = assumptions;
  return `${markdownTable(head, rows)}

Dollars a month. Backups: [second copy](second-copy.md).
Tables of the class Standard-IA (\`tableUnits.isInfrequent\`) cost ${infrequentStorage} of Standard for a GB, and ${infrequentUnit} for a unit;
the class can be changed while they are used, twice in 30 days.`;
}
