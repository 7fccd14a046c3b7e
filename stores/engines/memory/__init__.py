"""The reference engine: plain dictionaries, which every other engine must agree with."""
