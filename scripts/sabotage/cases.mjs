/**
 * Faults that a proof must notice. `edits` break the product in a copy of the tree, `proof` must then fail with a line that
 * matches `notices`. A case that no longer finds its text fails too: rewrite it together with the code that it breaks.
 */
export const cases = [
  {
    name: "Postgres acknowledges commits before they are on disk",
    proof: "crash",
    edits: [
      [
        "db/embedded/cluster.ts",
        "    ...defaults,\n",
        '    ...defaults,\n    synchronous_commit: "off",\n    wal_writer_delay: "10s",\n',
      ],
    ],
    notices: /acknowledged orders lost|acknowledged refunds lost|answers that should never/,
  },
  {
    name: "a call answers 200 before its transaction commits",
    proof: "crash",
    edits: [
      [
        "db/client.ts",
        `  try {
    return await drizzle({ client: oneAtATime(client) }).transaction((tx) =>
      inside.run(true, () => body(tx)),
    );
  } finally {
    client.release();
  }`,
        `  return new Promise((resolve, reject) => {
    drizzle({ client })
      .transaction((tx) =>
        inside.run(true, async () => {
          const made = await body(tx);
          resolve(made);
          await new Promise((done) => setTimeout(done, 500));
          return made;
        }),
      )
      .catch(reject)
      .finally(() => client.release());
  });`,
      ],
    ],
    notices: /acknowledged orders lost|acknowledged refunds lost|answers that should never|differ/,
  },
  {
    name: "a paid link writes no event",
    proof: "crash",
    edits: [
      [
        "lib/domain/payments/settle.ts",
        '    await emit(ctx, tx, { type: "payment_link.paid", objectId: link.id, data: presentLink(paid) });\n',
        "",
      ],
    ],
    notices: /state changes without their one event/,
  },
  {
    name: "a repeated call under the same key runs again",
    proof: "crash",
    edits: [
      [
        "lib/domain/idempotency/rows.ts",
        "    .set({ answer, status: 200 })\n",
        "    .set({ lockedUntil: sql`now()` })\n",
      ],
    ],
    notices: /orders made twice|refunds at the gateway that differ|refunds lost or given twice/,
  },
  {
    name: "a consumer takes more events from the queue than it turns into deliveries",
    proof: "webhooks",
    edits: [
      [
        "lib/domain/webhooks/delivery-rows.ts",
        "    on conflict do nothing`);",
        "    limit 100 on conflict do nothing`);",
      ],
    ],
    notices: /events taken and verified/,
  },
  {
    name: "a retry is sent with another body",
    proof: "webhooks",
    edits: [
      [
        "lib/domain/webhooks/body.ts",
        "return JSON.stringify({ _id, type, created_at, data });",
        "return JSON.stringify({ _id, type, created_at, data, sent_at: process.hrtime.bigint().toString() });",
      ],
    ],
    notices: /bodies that changed/,
  },
  {
    name: "a period is charged again while its charge is under way",
    proof: "renewals",
    edits: [
      ["lib/jobs/claim-rows.ts", "sql`(${table.leasedUntil} is null or", "sql`(true or"],
      [
        "lib/flows/renewal/begin.ts",
        "    nextAttemptAt: minutesLater(terms.now, lookAgainMinutes),\n",
        "    nextAttemptAt: period.nextAttemptAt,\n",
      ],
      [
        "lib/flows/renewal/decide.ts",
        'if (live) return { kind: "await_attempt"',
        'if (live && period.state !== "charging") return { kind: "await_attempt"',
      ],
    ],
    notices: /periods charged twice/,
  },
  {
    name: "a charge is not booked in the ledger",
    proof: "renewals",
    edits: [
      [
        "lib/domain/payments/settle.ts",
        "  await book(ctx, tx, row, `gross:${row.id}`, [",
        '  if (row.id.at(-1) !== "7") await book(ctx, tx, row, `gross:${row.id}`, [',
      ],
    ],
    notices: /gross postings in the ledger|journal and ledger differ/,
  },
  {
    name: "a month is counted from the period before instead of the anchor",
    proof: "year",
    edits: [
      [
        "lib/domain/subscriptions/periods.ts",
        "    : addMonths(anchor, number * step);",
        "    : Array.from({ length: number }).reduce<Day>((day) => addMonths(day, step), anchor);",
      ],
    ],
    notices: /events in order|yearly from 29 February/,
  },
  {
    name: "upgrade requests are taken out of the server's hands",
    proof: "doors",
    settings: { PROVE_DOORS: "sockets" },
    edits: [
      [
        "lib/http/serve.ts",
        "const shouldUpgradeCallback = () => false;",
        "const shouldUpgradeCallback = () => true;",
      ],
    ],
    notices: /HTTP\/2 upgrade on health/,
  },
  {
    name: "a response that is not read is kept",
    proof: "doors",
    settings: { PROVE_DOORS: "sockets" },
    edits: [
      [
        "lib/http/connections.ts",
        "      else if (nowMs - waiting.sinceMs >= limits.stalledResponseMs) reset(socket);\n",
        "",
      ],
    ],
    notices: /of these open in the end/,
  },
  {
    name: "a lost database is waited for",
    proof: "doors",
    settings: { PROVE_DOORS: "lostNetwork" },
    edits: [
      ["db/limits.ts", "  requestMs: 10_000,", "  requestMs: 600_000,"],
      ["db/limits.ts", "  heartbeatLimitMs: 5_000,", "  heartbeatLimitMs: 600_000,"],
    ],
    notices: /noticed|unanswered|work again/,
  },
  {
    name: "a dead call keeps its key for long",
    proof: "doors",
    settings: { PROVE_DOORS: "recovery" },
    edits: [
      [
        "lib/domain/idempotency/rows.ts",
        "const lease = sql`now() + interval '15 seconds'`;",
        "const lease = sql`now() + interval '10 minutes'`;",
      ],
    ],
    notices: /key can be repeated/,
  },
  {
    name: "money without a callback is looked for late",
    proof: "doors",
    settings: { PROVE_DOORS: "recovery" },
    edits: [
      [
        "lib/domain/payments/rules.ts",
        "=> [60, 120][checks] ?? 180;",
        "=> [1_800, 1_800][checks] ?? 1_800;",
      ],
    ],
    notices: /money is noticed/,
  },
  {
    name: "searches of one business take every connection",
    proof: "doors",
    settings: { PROVE_DOORS: "costlyWork" },
    edits: [
      [
        "db/heavy-reads.ts",
        `  return queue.run(
    reader.businessId,
    kind,
    () => limited(body, statementMs),
    reader.disconnected?.(),
  );`,
        "  return reader.businessId > 0 && kind && statementMs > 0 ? body() : body();",
      ],
    ],
    notices: /of the other/,
  },
];
