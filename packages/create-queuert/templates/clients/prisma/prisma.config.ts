// The command line of Prisma reads this file.
export default {
  schema: "prisma/schema.prisma",
  datasource: {
    url: process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app",
  },
};
