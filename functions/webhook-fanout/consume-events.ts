import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import * as z from "zod";
import { OutboxEvent } from "../../shared/contract/outbox.ts";
import { readEndpoints } from "../../shared/delivery/endpoint.ts";
import { correlate } from "../../shared/platform/correlation.ts";
import { log } from "../../shared/platform/log.ts";
import { consumeInBulk } from "../../shared/platform/queue/consume-batch.ts";
import { type EndpointsOf, fanOut } from "./fan-out.ts";
import { replay } from "./replay.ts";
import { sendOut } from "./send-out.ts";

/** An event as the bus delivers it. */
const BusEvent = z.object({ detail: OutboxEvent });

/**
 * Takes the events that are to be sent out from their queue, and makes one delivery for each endpoint that wants to hear of them. The endpoints of a
 * Program are read once for a batch, and the deliveries of its events are sent together.
 */
export function consumeEvents(event: SQSEvent): Promise<SQSBatchResponse> {
  const endpointsOf = readOnce();
  return consumeInBulk(
    event,
    async (record) => {
      const { detail } = BusEvent.parse(JSON.parse(record.body));
      correlate({ ...detail.cause, eventId: detail.eventId });
      const send = detail.kind === "notifications.replayed" ? replay : fanOut;
      const messages = await send(detail, endpointsOf);
      log.info("The event is fanned out.", { kind: detail.kind, messages: messages.length });
      return messages;
    },
    sendOut,
  );
}

function readOnce(): EndpointsOf {
  const read = new Map<string, ReturnType<EndpointsOf>>();
  return (programId) => {
    const endpoints = read.get(programId) ?? readEndpoints(programId);
    read.set(programId, endpoints);
    return endpoints;
  };
}
