// The versions that a new project gets. A test compares them with those of this repository.

const isNode20 = process.versions.node.startsWith("20.");

/** Packages of Queuert have the version of this one. */
export const versions: Readonly<Record<string, string>> = {
  "@hono/node-server": "^2.1.8",
  // Each names the other by its exact version.
  "@mikro-orm/core": "7.2.1",
  "@mikro-orm/postgresql": "7.2.1",
  "@nestjs/common": "^12.5.1",
  "@nestjs/core": "^12.5.1",
  "@nestjs/platform-express": "^12.5.1",
  "@prisma/adapter-pg": "^7.10.1",
  "@prisma/client": "^7.10.0",
  "@types/better-sqlite3": "^7.6.13",
  "@types/express": "^5.0.6",
  "@types/node": "^20.19.43",
  "@types/pg": "^8.23.1",
  "@types/react": "^19.0.0",
  // 13 needs Node 22, and carries its binaries.
  "better-sqlite3": isNode20 ? "^12.11.1" : "^13.1.1",
  "drizzle-orm": "^0.45.4",
  express: "^5.3.0",
  fastify: "^5.12.8",
  hono: "^4.13.18",
  knex: "^3.3.0",
  kysely: "^0.28.18",
  mongodb: "^7.8.0",
  mongoose: "^9.12.1",
  next: "^16.4.6",
  pg: "^8.23.1",
  postgres: "^3.4.9",
  prisma: "^7.10.0",
  react: "^19.0.0",
  "react-dom": "^19.0.0",
  "reflect-metadata": "^0.2.2",
  rxjs: "^7.8.2",
  tsx: "^4.23.15",
  typeorm: "^1.1.1",
  typescript: "^5.9.3",
};
