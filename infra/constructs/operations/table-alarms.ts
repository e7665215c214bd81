import { type ITable, Operation } from "aws-cdk-lib/aws-dynamodb";
import { type Alarms, alarmPeriod } from "./alarms.ts";

const operations = [
  Operation.GET_ITEM,
  Operation.BATCH_GET_ITEM,
  Operation.QUERY,
  Operation.PUT_ITEM,
  Operation.UPDATE_ITEM,
  Operation.DELETE_ITEM,
  Operation.TRANSACT_WRITE_ITEMS,
];

/** Tells when a table refuses requests: on demand, that is one hot item or partition rather than too little capacity. */
export function addTableAlarms(alarms: Alarms, tables: Readonly<Record<string, ITable>>) {
  for (const [name, table] of Object.entries(tables)) {
    alarms.add(`${name}Throttled`, {
      metric: table.metricThrottledRequestsForOperations({ operations, period: alarmPeriod }),
      threshold: 10,
      runbook: "tables-that-throttle",
      impact:
        "The table throttles: calls get slow or end in 503. Look for the one card, wallet or Program that is busy.",
    });
  }
}
