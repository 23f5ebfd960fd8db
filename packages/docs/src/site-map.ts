// The pages of the site, in the order of its sidebar. A page of another package is shown from where it is.

export interface Page {
  /** Its address, from the root of the site. */
  readonly path: string;
  /** From the root of the repository. */
  readonly source: string;
  readonly title: string;
}

export interface Section {
  readonly title: string;
  readonly pages: readonly Page[];
}

const own = (path: string, title: string): Page => ({
  path,
  source: `packages/docs/pages/${path}.md`,
  title,
});

const shown = (path: string, source: string, title: string): Page => ({
  path,
  source: `packages/${source}.md`,
  title,
});

export const sections: readonly Section[] = [
  {
    title: "Begin",
    pages: [
      own("index", "Queuert"),
      own("quick-start", "Quick start"),
      own("transactions", "Transactions"),
      shown("testing", "core/docs/testing", "Testing"),
      shown("torture", "torture/README", "Testing under faults"),
      own("why-is-my-job-not-running", "Why is my job not running?"),
      shown("errors", "core/docs/errors", "Errors by code"),
    ],
  },
  {
    title: "Tasks",
    pages: [
      own("retries", "Retries"),
      own("chains", "Chains"),
      own("blockers", "Blockers"),
      own("schedules", "Schedules"),
      own("deduplication", "Deduplication"),
      shown("versions", "core/docs/versions", "Versions"),
      shown("payloads", "core/docs/payloads", "Codecs, encryption and compression"),
      shown("recipes", "core/RECIPES", "Recipes"),
    ],
  },
  {
    title: "Deploy",
    pages: [
      own("docker", "Docker"),
      own("kubernetes", "Kubernetes"),
      shown("serverless", "core/docs/serverless", "Vercel and serverless"),
      own("fly", "Fly.io"),
      own("workers", "Cloudflare Workers"),
    ],
  },
  {
    title: "Frameworks",
    pages: [
      shown("nextjs", "core/docs/nextjs", "Next.js"),
      shown("nestjs", "nestjs/README", "NestJS"),
      shown("frameworks", "core/docs/frameworks", "Fastify, Express, Hono"),
      shown("commonjs-and-jest", "core/docs/commonjs-and-jest", "CommonJS and Jest"),
    ],
  },
  {
    title: "Coming over",
    pages: [
      shown("migrating", "core/MIGRATING", "From another queue"),
      own("from-pg-boss", "From pg-boss"),
      own("from-graphile-worker", "From graphile-worker"),
      own("from-bullmq", "From BullMQ"),
      own("from-agenda", "From Agenda"),
    ],
  },
  {
    title: "Stores",
    pages: [
      shown("postgres", "postgres/README", "PostgreSQL"),
      shown("postgres/drizzle", "postgres/docs/drizzle", "– Drizzle"),
      shown("postgres/kysely", "postgres/docs/kysely", "– Kysely"),
      shown("postgres/prisma", "postgres/docs/prisma", "– Prisma"),
      shown("postgres/knex", "postgres/docs/knex", "– Knex"),
      shown("postgres/typeorm", "postgres/docs/typeorm", "– TypeORM"),
      shown("postgres/mikro-orm", "postgres/docs/mikro-orm", "– MikroORM"),
      shown("postgres/bun", "postgres/docs/bun", "– Bun.SQL"),
      shown("postgres/clients", "postgres/docs/clients", "– The clients, measured"),
      shown("sqlite", "sqlite/README", "SQLite"),
      shown("sqlite/drizzle", "sqlite/docs/drizzle", "– Drizzle"),
      shown("sqlite/kysely", "sqlite/docs/kysely", "– Kysely"),
      shown("sqlite/bun", "sqlite/docs/bun", "– bun:sqlite"),
      shown("sqlite/durable-object", "sqlite/docs/durable-object", "– Durable Objects"),
      shown("mongodb", "mongodb/README", "MongoDB"),
      shown("mongodb/mongoose", "mongodb/docs/mongoose", "– mongoose"),
      shown("redis", "redis/README", "Notifications: Redis"),
      shown("nats", "nats/README", "Notifications: NATS"),
    ],
  },
  {
    title: "Operate",
    pages: [
      shown("cli", "cli/README", "Command line"),
      shown("dashboard", "dashboard/README", "Dashboard"),
      shown("dashboard/latency", "dashboard/docs/latency", "– Its latency, measured"),
      shown("otel", "otel/README", "Metrics and traces"),
      shown("mcp", "mcp/README", "Agents"),
    ],
  },
  {
    title: "Reference",
    pages: [
      shown("reference", "core/README", "All options and methods"),
      shown("architecture", "core/ARCHITECTURE", "How it works"),
      shown("adapters", "core/ADAPTERS", "Your own adapter"),
    ],
  },
];

export const pages: readonly Page[] = sections.flatMap((section) => section.pages);
