"""Traces of statements by OpenTelemetry: spans, their contexts, and where they are sent.

Only this folder imports OpenTelemetry, and only if traces are on. Without them no code of it runs.
"""
