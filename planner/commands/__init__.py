"""Statements that read no rows of stores: SET, SHOW, BEGIN, COPY, DECLARE, PREPARE."""
