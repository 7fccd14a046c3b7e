"""The rules of planning, one in each module: functions from a draft of a plan to a better one.

A rule changes how rows are read, never which rows the query returns. `RULES` in
`stategate.planner.planning.plan_query` has their order.
"""
