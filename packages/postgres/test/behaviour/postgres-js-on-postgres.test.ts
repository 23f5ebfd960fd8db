import { providedPostgres } from "@queuert/test-services/provided";
import { connectPostgresJs } from "../fixtures.ts";
import { describeBehaviour } from "./describe-behaviour.ts";

describeBehaviour(providedPostgres, connectPostgresJs, "postgres");
