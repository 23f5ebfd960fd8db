import { providedPostgres18 } from "@queuert/test-services/provided";
import { connectPostgresJs } from "../fixtures.ts";
import { describeBehaviour } from "./describe-behaviour.ts";

describeBehaviour(providedPostgres18, connectPostgresJs, "postgres");
