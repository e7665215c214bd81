import { handler } from "../../functions/processor-events/handler.ts";
import { ProcessorResult } from "../../shared/contract/processor.ts";

/** As a sender who waits for the result. */
export async function applyEvent(event: object): Promise<ProcessorResult> {
  return ProcessorResult.parse(await handler(event));
}
