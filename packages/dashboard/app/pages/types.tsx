// All types that have open jobs or workers.
import type { JSX } from "preact";
import type { OverviewAnswer } from "../../src/api-types.ts";
import { useQuery } from "../answers/query.ts";
import { counted } from "../format.ts";
import { overviewUrl } from "../frame/nav.tsx";
import { Answer } from "../parts/answer.tsx";
import { TypesTable } from "../parts/types-table.tsx";
import { useTitle } from "../parts/use-title.ts";

export const TypesPage = (): JSX.Element => {
  useTitle("Types");
  const overview = useQuery<OverviewAnswer>(overviewUrl(), 3_000);
  return (
    <>
      <div class="page-head">
        <h1>Types</h1>
        <span class="muted">{counted(overview.value.data?.types.length ?? 0, "type")}</span>
      </div>
      <section class="panel" aria-label="Types">
        <Answer of={overview}>{(data) => <TypesTable overview={data} />}</Answer>
      </section>
    </>
  );
};
