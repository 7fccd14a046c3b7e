"""Branch coverage of `planner/` by the fuzz, in all processes that it starts."""
