import { defineConfig } from "@queuert/cli";
import { jobTypes } from "./jobs/job-types.ts";

export default defineConfig({
  url: process.env["DATABASE_URL"] ?? "postgres://postgres:postgres@localhost:5432/app",
  jobTypeDefinitions: jobTypes,
});
