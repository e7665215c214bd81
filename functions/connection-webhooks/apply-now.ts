import { type BankReport, BankReportResult } from "../../shared/contract/bank.ts";
import { type CustodyReport, CustodyReportResult } from "../../shared/contract/custody.ts";
import { type ProcessorEvent, ProcessorResult } from "../../shared/contract/processor.ts";
import { environment } from "../../shared/platform/environment.ts";
import { invokeFunction } from "../../shared/platform/invoke-function.ts";

/** The sender waits for the result. A repetition gets the first one. */
export async function applyNow(event: ProcessorEvent): Promise<ProcessorResult> {
  return ProcessorResult.parse(await invoke(event));
}

/** This function, which anyone can reach, has no right to change what the report changes. */
export async function applyReport(report: BankReport): Promise<BankReportResult> {
  return BankReportResult.parse(await invoke(report));
}

export async function applyCustody(report: CustodyReport): Promise<CustodyReportResult> {
  return CustodyReportResult.parse(await invoke(report));
}

function invoke(input: ProcessorEvent | BankReport | CustodyReport): Promise<unknown> {
  return invokeFunction(environment.processorFunction, input);
}
