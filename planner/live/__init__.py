"""Live queries: a statement is kept up to date as epochs are applied, for all its subscribers.

Here are the choice of epochs, the difference of results and the sharing of both. Rows come from
`stategate.planner.running`; protocols and their clients are the gateway's.
"""
