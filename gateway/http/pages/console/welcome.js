// What the first view says before there is a store.

import { linkToQuery } from "./address.js";
import { h } from "./dom.js";

const PIPELINE = `from stores.spark import materialize

query = materialize(
    clicks.groupBy("user").agg(F.sum("n").alias("n")),
    store="clicks_by_user", key=["user"], root="state",
    partitions=4, checkpoint="state/_checkpoints/clicks_by_user",
)`;

export function welcome() {
  return h(
    "div",
    { class: "welcome card" },
    h("h2", {}, "No stores yet"),
    h("p", {}, "A store appears here as soon as a pipeline has committed its first epoch to the log that this gateway follows. Nothing needs to be restarted."),
    h("h3", {}, "Fill one from a stream of Spark"),
    h("pre", { tabindex: "0" }, h("code", {}, PIPELINE)),
    h("p", {}, "Its ", h("code", {}, "root"), " is that of the gateway."),
    h("h3", {}, "Or look around first"),
    h(
      "ul",
      {},
      h("li", {}, h("code", {}, "stategate demo"), " replays flights into three stores, and serves them"),
      h("li", {}, h("a", { href: linkToQuery("SHOW ALL") }, "Run a statement"), ", such as one that shows the settings"),
      h("li", {}, h("a", { href: "docs" }, "Try the API")),
    ),
  );
}
