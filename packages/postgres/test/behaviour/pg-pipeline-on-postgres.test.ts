import { providedPostgres } from "@queuert/test-services/provided";
import { connectPg } from "../fixtures.ts";
import { describeBehaviour } from "./describe-behaviour.ts";

describeBehaviour(providedPostgres, (url) => connectPg(url, { pipeline: true }), "postgres");
