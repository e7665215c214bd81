#!/bin/sh
# local-aws-sqs 2.0.2: ReceiveMessage with WaitTimeSeconds waits that time to its end, even if the message was in
# the queue before. SQS returns sooner as soon as there is one. And what becomes visible again meanwhile is in the
# same answer again: with a visibility timeout of 2 s and a wait of 3 s, one message comes twice.
# Exits with 1 if that changes.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init --yes >/dev/null
npm install --silent --no-audit --no-fund local-aws-sqs@2.0.2
cat > poll.cjs <<'END'
const { createSqsServer } = require("local-aws-sqs");
const { setTimeout: delay } = require("node:timers/promises");

/** How many messages a poll of three seconds has, how many of them differ, and how long it takes. */
async function poll(server, QueueName, VisibilityTimeout, sentAfterMs) {
  const call = async (action, input) => {
    const target = { "x-amz-target": `AmazonSQS.${action}`, "content-type": "application/x-amz-json-1.0" };
    const url = `http://127.0.0.1:${server.address().port}/`;
    return (await fetch(url, { method: "POST", headers: target, body: JSON.stringify(input) })).json();
  };
  const { QueueUrl } = await call("CreateQueue", { QueueName, Attributes: { VisibilityTimeout } });
  const send = () => call("SendMessage", { QueueUrl, MessageBody: "once" });
  if (sentAfterMs === 0) await send();
  const startedMs = performance.now();
  const polled = call("ReceiveMessage", { QueueUrl, WaitTimeSeconds: 3, MaxNumberOfMessages: 10 });
  if (sentAfterMs > 0) await delay(sentAfterMs).then(send);
  const { Messages = [] } = await polled;
  const different = new Set(Messages.map(({ MessageId }) => MessageId)).size;
  const seconds = Math.round((performance.now() - startedMs) / 1000);
  console.log(`${QueueName}: ${Messages.length} messages, ${different} different, after ${seconds} s`);
}

(async () => {
  const server = await createSqsServer({ port: 0, hostname: "127.0.0.1" });
  await poll(server, "sent-before", "30", 0);
  await poll(server, "sent-meanwhile", "30", 500);
  await poll(server, "visible-again", "2", 0);
  process.exit(0);
})();
END
seen=$(node poll.cjs)
echo "$seen"
test "$seen" = "sent-before: 1 messages, 1 different, after 3 s
sent-meanwhile: 1 messages, 1 different, after 3 s
visible-again: 2 messages, 1 different, after 3 s"
